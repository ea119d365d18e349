//! While the user types inside one text, answers in which the text is only put are those of lookups.

use super::spread::told;
use super::*;

/// Lines in which `T` is typed.
const TYPED: [&str; 12] = [
    "a: \"T\"\n",
    "a: \"T\"\n",
    "a: [x, \"T\"]\n",
    "a: [\"T\", \"%{role}\", y]\n",
    "a: {p: \"T\", q: 2}\n",
    "a: {q: [\"T\"], p: \"%{lookup('b')}\"}\n",
    "a: \"x T %{role}\"\n",
    "b: \"%{lookup('a')} T\"\n",
    "b: \"%{role}T%{site}\"\n",
    "c: {p: \"T\", web: \"%{lookup('a')}\"}\n",
    "m::a: \"T\"\n",
    "m::b: [\"--T\", \"T\"]\n",
];

/// Lines that use what is typed.
const USES: [&str; 14] = [
    "b: \"%{lookup('a')}\"\n",
    "b: \"%{lookup('a')} of %{trusted.certname}\"\n",
    "b: [\"%{lookup('a')}\", web, x]\n",
    "b: \"%{alias('a')}\"\n",
    "c: {\"%{lookup('a')}\": 1, web: 2}\n",
    "c: {\"k-%{lookup('a')}\": \"%{lookup('b')}\", k-web: 2}\n",
    "c: {\"%{lookup('m::a')}\": {p: \"%{lookup('m::a')}\"}}\n",
    "d: \"%{lookup('c.web')}\"\n",
    "d: \"%{lookup('c')}\"\n",
    "d: {p: \"%{lookup('b')}\", q: \"%{lookup('a')}%{role}\"}\n",
    "d: \"%{literal('%')}{%{lookup('a')}}\"\n",
    "d: \"%{lookup('a.p')}%{lookup('a.0')}\"\n",
    "m::b: \"%{lookup('m::a')}\"\n",
    "lookup_options: {b: {merge: unique}, c: {merge: hash}, d: {convert_to: String}}\n",
];

const TEXTS: [&str; 14] =
    ["w", "web", "x", "x y", "y", "--x", "one", "db", "5", "50%", "k-web", "ENC[x", "}", "role"];

fn changes(pair: &FleetPair) -> Vec<String> {
    let keys = KEYS.map(Arc::from);
    let found = pair.differences(&keys, &CancelToken::default(), || {});
    found.expect("it was not cancelled").changes.iter().map(told).collect()
}

#[test]
fn answers_with_a_typed_text_are_those_of_lookups() {
    let (mut answered, mut changed) = (0, 0);
    for seed in 0..workspaces(WORKSPACES / 3) {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x7E87);
        let mut texts = random.texts();
        texts.retain(|path, _| !path.contains("/facts/"));
        let data: Vec<String> = texts.keys().filter(|it| it.contains("/data/")).cloned().collect();
        if data.is_empty() {
            continue;
        }
        for _ in 0..4 {
            let path = &data[random.below(data.len())];
            let line = USES[random.below(USES.len())];
            texts.get_mut(path).expect("it is there").push_str(line);
        }
        let path = &data[random.below(data.len())];
        let line = TYPED[random.below(TYPED.len())];
        let typed = [line, &texts[path]].concat();
        let with = |text: &str| -> Arc<str> { typed.replacen('T', text, 1).into() };
        texts.insert(path.clone(), with("T").to_string());
        let version = if seed % 2 == 0 { PuppetVersion::V8 } else { PuppetVersion::V7 };
        let before = world_of(&texts, version);
        let Some(environment) = before.environment_of(ROOT) else { continue };
        let names = ["one", "two", "six", "webtwo", "web"];
        let nodes: Arc<[Arc<Node>]> =
            names.iter().map(|name| before.node_named(&environment, name)).collect();
        let of = |world: &Arc<World>| Arc::new(fleet(world, &environment, nodes.clone(), true));
        let any = before.any_node(&environment);
        let any = Some((any.clone(), any));
        let kept = of(&before);
        for _ in 0..6 {
            let text = TEXTS[random.below(TEXTS.len())];
            let after = before.as_if(&[(path.as_str().into(), with(text))]);
            let pair = FleetPair::new(kept.clone(), of(&after), any.clone());
            let anew = FleetPair::new(of(&before), of(&after), any.clone());
            let expected = changes(&anew);
            assert_eq!(changes(&pair), expected, "{path} {line} {text} in {seed}: {texts:#?}");
            changed += expected.len();
        }
        answered += kept.typing.count_answered();
    }
    assert!(answered > 150 && changed > 50, "{answered} answered, {changed} changed");
}

#[test]
fn a_text_that_makes_two_cases_one_is_looked_up() {
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: r, path: 'roles/%{role}.yaml'}\n\
                      - {name: c, path: common.yaml}\n";
    let common = |text: &str| format!("a: '{text}'\nb: \"%{{lookup('a')}} x\"\n");
    let files = [
        ("hiera.yaml", hiera_yaml.to_owned()),
        ("data/roles/web.yaml", "a: web\n".to_owned()),
        ("data/common.yaml", common("T")),
    ];
    let files = files.map(|(path, text)| (format!("{ROOT}/{path}"), text));
    let disk = Arc::new(MemoryDisk::new(files));
    let before = World::on_disk(disk, vec![ROOT.into()], Settings::default());
    let environment = before.environment_of(ROOT).expect("there is one");
    let nodes: Arc<[Arc<Node>]> =
        ["one", "two"].map(|name| before.node_named(&environment, name)).into();
    let of = |world: &Arc<World>| Arc::new(fleet(world, &environment, nodes.clone(), true));
    let kept = of(&before);
    let counts = ["w", "we", "web", "webs"].map(|text| {
        let path = format!("{ROOT}/data/common.yaml");
        let after = before.as_if(&[(path.into(), common(text).into())]);
        let found = |earlier| FleetPair::new(earlier, of(&after), None).difference(&"b".into());
        let told_of = |found: Difference| found.changes.iter().map(told).collect::<Vec<_>>();
        assert_eq!(told_of(found(kept.clone())), told_of(found(of(&before))), "{text}");
        kept.typing.count_answered()
    });
    assert_eq!(counts, [0, 1, 1, 2]);
}
