//! The names of Puppet's types.

use super::common::enum_of;
use super::{Alias, Type, Wrapper};

/// Resource types that are part of Puppet.
const RESOURCE_TYPES: [&str; 15] = [
    "Component",
    "Exec",
    "File",
    "Filebucket",
    "Group",
    "Node",
    "Notify",
    "Package",
    "Resources",
    "Schedule",
    "Service",
    "Stage",
    "Tidy",
    "User",
    "Whit",
];

/// Object types that are part of Puppet.
const OBJECT_TYPES: [&str; 50] = [
    "Annotation",
    "Deferred",
    "Error",
    "Object",
    "Pcore::AbstractTimeDataType",
    "Pcore::AnyType",
    "Pcore::ArrayType",
    "Pcore::BinaryType",
    "Pcore::BooleanType",
    "Pcore::CallableType",
    "Pcore::CatalogEntryType",
    "Pcore::ClassType",
    "Pcore::CollectionType",
    "Pcore::DefaultType",
    "Pcore::EnumType",
    "Pcore::FloatType",
    "Pcore::HashType",
    "Pcore::InitType",
    "Pcore::IntegerType",
    "Pcore::IterableType",
    "Pcore::IteratorType",
    "Pcore::NotUndefType",
    "Pcore::NumericType",
    "Pcore::ObjectType",
    "Pcore::OptionalType",
    "Pcore::PatternType",
    "Pcore::RegexpType",
    "Pcore::ResourceType",
    "Pcore::RuntimeType",
    "Pcore::ScalarDataType",
    "Pcore::ScalarType",
    "Pcore::SemVerRangeType",
    "Pcore::SemVerType",
    "Pcore::SensitiveType",
    "Pcore::StringType",
    "Pcore::StructElement",
    "Pcore::StructType",
    "Pcore::TimespanType",
    "Pcore::TimestampType",
    "Pcore::TupleType",
    "Pcore::TypeAliasType",
    "Pcore::TypeReferenceType",
    "Pcore::TypeSetType",
    "Pcore::TypeType",
    "Pcore::URIType",
    "Pcore::UndefType",
    "Pcore::UnitType",
    "Pcore::VariantType",
    "Puppet::LookupContext",
    "RubyMethod",
];

/// Puppet's type with this name; letter case is ignored.
pub(super) fn built_in(name: &str) -> Option<Type> {
    let lower = name.to_ascii_lowercase();
    plain(&lower).or_else(|| special(&lower)).or_else(|| {
        let is_it = |it: &&&str| it.eq_ignore_ascii_case(&lower);
        let resource = RESOURCE_TYPES.iter().find(is_it);
        let resource = resource.map(|it| Type::Resource { name: Some((*it).into()), title: None });
        resource.or_else(|| {
            OBJECT_TYPES.iter().find(is_it).map(|it| Type::Object { name: (*it).into() })
        })
    })
}

fn plain(lower: &str) -> Option<Type> {
    Some(match lower {
        "any" => Type::Any,
        "undef" => Type::Undef,
        "default" => Type::Default,
        "scalar" => Type::Scalar,
        "scalardata" => Type::ScalarData,
        "numeric" => Type::Numeric,
        "boolean" => Type::Boolean(None),
        "integer" => Type::integer(),
        "float" => Type::float(),
        "string" => Type::string(),
        "enum" => enum_of(Vec::new(), false),
        "pattern" => Type::Pattern(Vec::new()),
        "regexp" => Type::Regexp(None),
        "collection" => Type::Collection(None),
        "array" => Type::array(),
        "hash" => Type::hash(),
        "tuple" => Type::Tuple(Vec::new(), None),
        "struct" => Type::Struct(Vec::new()),
        "variant" => Type::Variant(Vec::new()),
        "binary" => Type::Binary,
        _ => return None,
    })
}

fn special(lower: &str) -> Option<Type> {
    let wrapped = |wrapper| Type::Wrapped(wrapper, None);
    Some(match lower {
        "optional" => wrapped(Wrapper::Optional),
        "notundef" => wrapped(Wrapper::NotUndef),
        "sensitive" => wrapped(Wrapper::Sensitive),
        "type" => wrapped(Wrapper::Type),
        "iterable" => wrapped(Wrapper::Iterable),
        "iterator" => wrapped(Wrapper::Iterator),
        "init" => Type::Init(None),
        "timestamp" => Type::Timestamp(super::TimeRange::default()),
        "timespan" => Type::Timespan(super::TimeRange::default()),
        "semver" => Type::SemVer(Vec::new()),
        "semverrange" => Type::SemVerRange,
        "uri" => Type::Uri(None),
        "callable" => Type::Callable(None),
        "runtime" => Type::Runtime { runtime: None, name: None },
        "catalogentry" => Type::CatalogEntry,
        "class" => Type::Class(None),
        "resource" => Type::Resource { name: None, title: None },
        "typeset" => Type::Object { name: "DefaultTypeSet".into() },
        "typereference" => Type::unresolved(),
        "data" => Type::Alias(Alias::Data),
        "richdata" => Type::Alias(Alias::RichData),
        "richdatakey" => Type::Alias(Alias::RichDataKey),
        "puppet::lookupkey" => Type::Alias(Alias::LookupKey),
        "puppet::lookupvalue" => Type::Alias(Alias::LookupValue),
        _ => return None,
    })
}
