//! Writes YAML nodes as libyaml's emitter does: block style, indents of two, lines folded near 80 columns.

/// Documents are folded at the first space after this column.
const BEST_WIDTH: usize = 80;
const BEST_INDENT: usize = 2;
/// Longer keys need a `? `.
const MAX_SIMPLE_KEY: usize = 128;

/// A YAML node.
pub(super) enum Node {
    Scalar(Scalar),
    Sequence(Vec<Node>),
    Mapping {
        tag: Option<&'static str>,
        members: Vec<(Node, Node)>,
    },
    /// A node that other places repeat by this number.
    Anchored(usize, Box<Node>),
    /// A repetition of the node that is anchored under this number.
    Alias(usize),
}

/// A scalar and the style to write it in.
pub(super) struct Scalar {
    pub(super) text: String,
    /// A tag that is always written.
    pub(super) tag: Option<&'static str>,
    pub(super) style: Style,
    /// Whether the scalar reads the same in quotes; otherwise a quoted text gets the tag `!`.
    pub(super) is_quoted_implicit: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
}

/// The position of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NodePosition {
    Root,
    Sequence,
    Mapping,
    SimpleKey,
}

/// The styles that a scalar's characters allow.
#[expect(clippy::struct_excessive_bools, reason = "each style asks for its own answer")]
struct Analysis {
    is_multiline: bool,
    plain_allowed: bool,
    single_quoted_allowed: bool,
    block_allowed: bool,
}

/// What becomes of characters outside the basic plane.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wide {
    /// They are escaped, as libyaml does.
    Escaped,
    /// They stay as they are, in documents that are not compared with libyaml's.
    Kept,
}

pub(super) struct Emitter {
    out: String,
    column: usize,
    indent: Option<usize>,
    /// Whether the last character was a space or part of the indentation.
    whitespace: bool,
    /// Whether the line contains only indentation and indicators so far.
    indention: bool,
    /// Whether the text ends with newlines, which need a `...` after them to be read correctly.
    is_open_ended: bool,
    /// Lines are folded at the first space after this column.
    width: usize,
    wide: Wide,
}

impl Emitter {
    /// The document with its root node.
    pub(super) fn document(root: &Node, wide: Wide) -> String {
        let mut emitter = Self { wide, ..Self::new(BEST_WIDTH) };
        emitter.indicator("---", true, false, false);
        emitter.node(root, NodePosition::Root);
        emitter.write_indent();
        if emitter.is_open_ended {
            emitter.indicator("...", true, false, false);
            emitter.write_indent();
        }
        emitter.out
    }

    /// A single scalar or an empty collection, on one line or as a block whose lines are indented by two.
    pub(super) fn unfolded(node: &Node, is_key: bool) -> String {
        let mut emitter = Self { wide: Wide::Kept, ..Self::new(usize::MAX) };
        emitter.node(node, if is_key { NodePosition::SimpleKey } else { NodePosition::Root });
        emitter.out
    }

    fn new(width: usize) -> Self {
        Self {
            out: String::new(),
            column: 0,
            indent: None,
            whitespace: true,
            indention: true,
            is_open_ended: false,
            width,
            wide: Wide::Escaped,
        }
    }

    fn node(&mut self, node: &Node, context: NodePosition) {
        match node {
            Node::Scalar(scalar) => self.scalar(scalar, context),
            Node::Sequence(items) if items.is_empty() => self.empty_collection("[", "]"),
            Node::Sequence(items) => {
                // libyaml writes the dashes of a list in a hash at the indentation of the key.
                let is_indentless = context == NodePosition::Mapping && !self.indention;
                let outer = self.increase_indent(false, is_indentless);
                for item in items {
                    self.write_indent();
                    self.indicator("-", true, false, true);
                    self.node(item, NodePosition::Sequence);
                }
                self.indent = outer;
            }
            Node::Mapping { tag, members } => {
                if let Some(tag) = tag {
                    self.tag(tag);
                }
                if members.is_empty() {
                    self.empty_collection("{", "}");
                    return;
                }
                let outer = self.increase_indent(false, false);
                for (key, value) in members {
                    self.member(key, value);
                }
                self.indent = outer;
            }
            Node::Anchored(number, node) => {
                self.indicator(&format!("&{number}"), true, false, false);
                self.node(node, context);
            }
            Node::Alias(number) => {
                self.indicator(&format!("*{number}"), true, false, false);
                // Without the space, the colon would belong to the name of the alias.
                if context == NodePosition::SimpleKey {
                    self.put(' ');
                }
            }
        }
    }

    fn empty_collection(&mut self, open: &str, close: &str) {
        self.indicator(open, true, true, false);
        self.indicator(close, false, false, false);
    }

    fn member(&mut self, key: &Node, value: &Node) {
        self.write_indent();
        if is_simple_key(key) {
            self.node(key, NodePosition::SimpleKey);
            self.indicator(":", false, false, false);
        } else {
            self.indicator("?", true, false, true);
            self.node(key, NodePosition::Mapping);
            self.write_indent();
            self.indicator(":", true, false, true);
        }
        self.node(value, NodePosition::Mapping);
    }

    fn scalar(&mut self, scalar: &Scalar, context: NodePosition) {
        let is_simple_key = context == NodePosition::SimpleKey;
        let analysis = analyze(&scalar.text, self.wide);
        let style = selected_style(scalar, &analysis, is_simple_key);
        match scalar.tag {
            Some(tag) => self.tag(tag),
            None if style != Style::Plain && !scalar.is_quoted_implicit => self.tag("!"),
            None => {}
        }
        let outer = self.increase_indent(true, false);
        let characters: Vec<char> = scalar.text.chars().collect();
        match style {
            Style::Plain => self.plain(&characters, !is_simple_key),
            Style::SingleQuoted => self.single_quoted(&characters, !is_simple_key),
            Style::DoubleQuoted => self.double_quoted(&characters, !is_simple_key),
            Style::Literal => self.literal(&characters),
        }
        self.indent = outer;
    }

    /// Returns the previous indentation.
    fn increase_indent(&mut self, is_flow: bool, is_indentless: bool) -> Option<usize> {
        let outer = self.indent;
        self.indent = Some(match outer {
            None if is_flow => BEST_INDENT,
            None => 0,
            Some(indent) if is_indentless => indent,
            Some(indent) => indent + BEST_INDENT,
        });
        outer
    }

    fn put(&mut self, character: char) {
        self.out.push(character);
        self.column += 1;
    }

    fn put_break(&mut self, character: char) {
        self.out.push(character);
        self.column = 0;
    }

    fn write_indent(&mut self) {
        let indent = self.indent.unwrap_or(0);
        if !self.indention || self.column > indent || self.column == indent && !self.whitespace {
            self.put_break('\n');
        }
        while self.column < indent {
            self.put(' ');
        }
        self.whitespace = true;
        self.indention = true;
    }

    fn indicator(
        &mut self,
        text: &str,
        needs_whitespace: bool,
        is_whitespace: bool,
        is_indention: bool,
    ) {
        if needs_whitespace && !self.whitespace {
            self.put(' ');
        }
        text.chars().for_each(|it| self.put(it));
        self.whitespace = is_whitespace;
        self.indention = self.indention && is_indention;
    }

    fn tag(&mut self, tag: &str) {
        self.indicator(tag, true, false, false);
    }

    fn plain(&mut self, characters: &[char], allows_breaks: bool) {
        if !self.whitespace && !characters.is_empty() {
            self.put(' ');
        }
        self.folded_text(characters, |emitter, index, is_after_space| {
            allows_breaks
                && !is_after_space
                && emitter.column > emitter.width
                && characters.get(index + 1) != Some(&' ')
        });
        self.whitespace = false;
        self.indention = false;
    }

    fn single_quoted(&mut self, characters: &[char], allows_breaks: bool) {
        self.indicator("'", true, false, false);
        let last = characters.len().saturating_sub(1);
        let ends_in_break = self.folded_text(characters, |emitter, index, is_after_space| {
            allows_breaks
                && !is_after_space
                && emitter.column > emitter.width
                && index != 0
                && index != last
                && characters.get(index + 1) != Some(&' ')
        });
        if ends_in_break {
            self.write_indent();
        }
        self.indicator("'", false, false, false);
    }

    /// The text of a plain or single-quoted scalar, and whether it ends with a newline.
    fn folded_text(
        &mut self,
        characters: &[char],
        may_fold: impl Fn(&Self, usize, bool) -> bool,
    ) -> bool {
        let is_quoted = self.out.ends_with('\'');
        let (mut is_after_space, mut is_after_break) = (false, false);
        for (index, &character) in characters.iter().enumerate() {
            if character == ' ' {
                if may_fold(self, index, is_after_space) {
                    self.write_indent();
                } else {
                    self.put(' ');
                }
                is_after_space = true;
            } else if is_break(character) {
                // YAML reads a single line break inside such a scalar as a space, so libyaml writes one more.
                if !is_after_break && character == '\n' {
                    self.put_break('\n');
                }
                self.put_break(character);
                self.indention = true;
                is_after_break = true;
            } else {
                if is_after_break {
                    self.write_indent();
                }
                if character == '\'' && is_quoted {
                    self.put('\'');
                }
                self.put(character);
                self.indention = false;
                is_after_space = false;
                is_after_break = false;
            }
        }
        is_after_break
    }

    fn double_quoted(&mut self, characters: &[char], allows_breaks: bool) {
        self.indicator("\"", true, false, false);
        let last = characters.len().saturating_sub(1);
        let mut is_after_space = false;
        for (index, &character) in characters.iter().enumerate() {
            if !is_printable(character, self.wide)
                || is_break(character)
                || matches!(character, '"' | '\\')
            {
                escaped(character).chars().for_each(|it| self.put(it));
                is_after_space = false;
            } else if character == ' ' {
                let may_fold = allows_breaks && !is_after_space && self.column > self.width;
                if may_fold && index != 0 && index != last {
                    self.write_indent();
                    // YAML ignores spaces at the start of a line, so the next one is escaped.
                    if characters.get(index + 1) == Some(&' ') {
                        self.put('\\');
                    }
                } else {
                    self.put(' ');
                }
                is_after_space = true;
            } else {
                self.put(character);
                is_after_space = false;
            }
        }
        self.indicator("\"", false, false, false);
    }

    fn literal(&mut self, characters: &[char]) {
        self.indicator("|", true, false, false);
        if characters.first().is_some_and(|it| *it == ' ' || is_break(*it)) {
            // Spaces at the start of the text would be taken for its indentation, so the indentation is written.
            self.indicator("2", false, false, false);
        }
        match characters {
            [.., before, last] if is_break(*last) => {
                if is_break(*before) {
                    self.indicator("+", false, false, false);
                    self.is_open_ended = true;
                } else {
                    self.is_open_ended = false;
                }
            }
            [only] if is_break(*only) => {
                self.indicator("+", false, false, false);
                self.is_open_ended = true;
            }
            _ => {
                self.indicator("-", false, false, false);
                self.is_open_ended = false;
            }
        }
        self.put_break('\n');
        self.indention = true;
        self.whitespace = true;
        let mut is_after_break = true;
        for &character in characters {
            if is_break(character) {
                self.put_break(character);
                self.indention = true;
                is_after_break = true;
            } else {
                if is_after_break {
                    self.write_indent();
                }
                self.put(character);
                self.indention = false;
                is_after_break = false;
            }
        }
    }
}

fn is_simple_key(key: &Node) -> bool {
    match key {
        Node::Scalar(scalar) => {
            let length = scalar.text.len() + scalar.tag.map_or(0, str::len);
            !analyze(&scalar.text, Wide::Escaped).is_multiline && length <= MAX_SIMPLE_KEY
        }
        Node::Sequence(items) => items.is_empty(),
        Node::Mapping { members, .. } => members.is_empty(),
        Node::Anchored(_, node) => is_simple_key(node),
        Node::Alias(_) => true,
    }
}

fn selected_style(scalar: &Scalar, analysis: &Analysis, is_simple_key: bool) -> Style {
    let mut style = scalar.style;
    if is_simple_key && analysis.is_multiline {
        style = Style::DoubleQuoted;
    }
    if style == Style::Plain && (!analysis.plain_allowed || scalar.text.is_empty() && is_simple_key)
    {
        style = Style::SingleQuoted;
    }
    if style == Style::SingleQuoted && !analysis.single_quoted_allowed {
        style = Style::DoubleQuoted;
    }
    if style == Style::Literal && (!analysis.block_allowed || is_simple_key) {
        style = Style::DoubleQuoted;
    }
    style
}

fn is_break(character: char) -> bool {
    matches!(character, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_blank(character: Option<&char>) -> bool {
    character.is_none_or(|it| matches!(it, ' ' | '\t' | '\0') || is_break(*it))
}

/// Whether libyaml writes the character as it is; it escapes everything outside the basic plane.
fn is_printable(character: char, wide: Wide) -> bool {
    matches!(character, '\n' | ' '..='~' | '\u{a0}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}')
        || wide == Wide::Kept && character >= '\u{10000}'
}

fn analyze(text: &str, wide: Wide) -> Analysis {
    let characters: Vec<char> = text.chars().collect();
    if characters.is_empty() {
        return Analysis {
            is_multiline: false,
            plain_allowed: true,
            single_quoted_allowed: true,
            block_allowed: false,
        };
    }
    let is_edge = |it: Option<&char>| it.is_some_and(|it| *it == ' ' || is_break(*it));
    let pairs = || characters.iter().zip(characters.iter().skip(1));
    let has_breaks = characters.iter().any(|it| is_break(*it));
    let is_special = characters.iter().any(|it| !is_printable(*it, wide));
    let has_break_space = pairs().any(|(a, b)| is_break(*a) && *b == ' ');
    let has_space_break = pairs().any(|(a, b)| *a == ' ' && is_break(*b));
    let has_edge = is_edge(characters.first()) || is_edge(characters.last());
    let has_indicators = has_block_indicators(text, &characters);
    let is_easy = !has_space_break && !is_special;
    Analysis {
        is_multiline: has_breaks,
        plain_allowed: is_easy && !has_edge && !has_break_space && !has_breaks && !has_indicators,
        single_quoted_allowed: is_easy && !has_break_space,
        block_allowed: is_easy && characters.last() != Some(&' '),
    }
}

/// Whether the plain text would be read as YAML syntax in block style.
fn has_block_indicators(text: &str, characters: &[char]) -> bool {
    let follows_blank = |index: usize| is_blank(characters.get(index + 1));
    let first = match characters[0] {
        '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%'
        | '@' | '`' => true,
        '?' | ':' | '-' => follows_blank(0),
        _ => false,
    };
    let inside = characters.iter().enumerate().skip(1).any(|(index, it)| match it {
        ':' => follows_blank(index),
        '#' => is_blank(characters.get(index - 1)),
        _ => false,
    });
    first || inside || text.starts_with("---") || text.starts_with("...")
}

fn escaped(character: char) -> String {
    let code = u32::from(character);
    match character {
        '\0' => "\\0".to_owned(),
        '\u{7}' => "\\a".to_owned(),
        '\u{8}' => "\\b".to_owned(),
        '\t' => "\\t".to_owned(),
        '\n' => "\\n".to_owned(),
        '\u{b}' => "\\v".to_owned(),
        '\u{c}' => "\\f".to_owned(),
        '\r' => "\\r".to_owned(),
        '\u{1b}' => "\\e".to_owned(),
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        '\u{85}' => "\\N".to_owned(),
        '\u{a0}' => "\\_".to_owned(),
        '\u{2028}' => "\\L".to_owned(),
        '\u{2029}' => "\\P".to_owned(),
        _ if code <= 0xff => format!("\\x{code:02X}"),
        _ if code <= 0xffff => format!("\\u{code:04X}"),
        _ => format!("\\U{code:08X}"),
    }
}
