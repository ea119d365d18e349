//! Tokens of texts, among them each oddity of Puppet's lexer.

use super::{Language, tokenize};
use crate::syntax::puppet::token::{Kind, TokenText};

/// The tokens of `text`, each as `Kind:written`, those of heredoc texts with `~` before.
fn tokens(text: &str, language: Language) -> Vec<String> {
    let (tokens, _) = tokenize(text, language);
    let shown = tokens.list.iter().map(|token| {
        let mark = if token.is_heredoc_text { "~" } else { "" };
        format!("{mark}{:?}:{}", token.kind, token.range().slice(text))
    });
    shown.collect()
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(tokens(text, Language::Manifest), expected);
}

/// The decoded texts of the strings in `text`.
fn texts(text: &str) -> Vec<String> {
    let (tokens, errors) = tokenize(text, Language::Manifest);
    assert_eq!(errors, [], "{text}");
    let decoded = tokens.texts.iter().map(|it| match it {
        TokenText::Written(range) => range.slice(text).to_owned(),
        TokenText::Decoded(decoded) => decoded.clone(),
    });
    decoded.collect()
}

#[test]
fn a_bracket_after_white_space_starts_a_list() {
    check("a[1] [", &["Name:a", "LeftBracket:[", "Number:1", "RightBracket:]", "ListStart:["]);
}

#[test]
fn a_parenthesis_that_is_first_in_its_line_starts_no_call() {
    check(
        "a (\n (\n'\n'(",
        &["Name:a", "LeftParen:(", "LineParen:(", "String:'\n'", "LeftParen:("],
    );
}

#[test]
fn a_slash_after_an_operand_divides() {
    check("$x / 2 / 3", &["Variable:$x", "Divide:/", "Number:2", "Divide:/", "Number:3"]);
    check(
        "(1) / 2 /",
        &["LineParen:(", "Number:1", "RightParen:)", "Divide:/", "Number:2", "Divide:/"],
    );
    check("} /a\\/b/", &["RightBrace:}", "Regex:/a\\/b/"]);
    check("= /[#\"{]/ }", &["Assign:=", "Regex:/[#\"{]/", "RightBrace:}"]);
    check("= /* /a/ */ /a", &["Assign:=", "Divide:/", "Name:a"]);
}

#[test]
fn interpolations_nest() {
    check(
        "\"a ${ \"b ${c}\" } $d::e.f\"",
        &[
            "StringStart:\"a ${",
            "StringStart:\"b ${",
            "Variable:c",
            "StringEnd:\"",
            "StringMiddle: ",
            "Variable:$d::e",
            "StringEnd:.f\"",
        ],
    );
    check(
        "\"${ {a=>{}} }\"",
        &[
            "StringStart:\"${",
            "LeftBrace:{",
            "Name:a",
            "FatArrow:=>",
            "LeftBrace:{",
            "RightBrace:}",
            "RightBrace:}",
            "StringEnd:\"",
        ],
    );
}

#[test]
fn names_in_interpolations_are_variables_only_alone_or_before_a_bracket_or_a_dot() {
    for (text, kind) in [
        ("\"${x}\"", Kind::Variable),
        ("\"${class}\"", Kind::Variable),
        ("\"${x[1]}\"", Kind::Variable),
        ("\"${x.f}\"", Kind::Variable),
        ("\"${x + 1}\"", Kind::Name),
        ("\"${upcase('x')}\"", Kind::Name),
        ("\"${0}\"", Kind::Variable),
    ] {
        let (tokens, _) = tokenize(text, Language::Manifest);
        assert_eq!(tokens.list[1].kind, kind, "{text}");
    }
}

#[test]
fn strings_are_decoded() {
    assert_eq!(texts(r#"'it\'s \n' "\u00e9\q\n""#), ["it's \\n", "é\\q\n"]);
    assert_eq!(texts(r#""a $ b" "\$x" "\\""#), ["a $ b", "$x", "\\"]);
}

#[test]
fn heredocs_of_one_line_follow_each_other() {
    let text = "[@(A), @(\"B\")]\nclass x {\n  | A\nb ${y}\n| B\nnext";
    check(
        text,
        &[
            "ListStart:[",
            "Heredoc:@(A)",
            "~String:class x {\n",
            "Comma:,",
            "Heredoc:@(\"B\")",
            "~StringStart:b ${",
            "~Variable:y",
            "~StringEnd:\n",
            "RightBracket:]",
            "Name:next",
        ],
    );
}

#[test]
fn a_heredoc_loses_its_margin_only_where_the_line_begins_with_it() {
    assert_eq!(texts("@(E)\n  a\n b\n   c\n  | E\n"), ["a\n b\n c\n"]);
    assert_eq!(texts("@(E)\n  a\n  |- E\n"), ["a"]);
    assert_eq!(texts("@(E)\n| E\n"), [""]);
    assert_eq!(texts("@(E)\na\nsome text E\n"), ["a\n"]);
}

#[test]
fn places_in_a_heredoc_with_a_margin_are_those_of_the_file() {
    let text = "@(\"E\")\n    a\n    ${lookup('k')}\n    | E\n";
    let tokens = tokens(text, Language::Manifest);
    assert!(tokens.contains(&"~Name:lookup".to_owned()), "{tokens:?}");
    assert!(tokens.contains(&"~String:'k'".to_owned()), "{tokens:?}");
}

#[test]
fn escapes_of_a_heredoc_are_those_of_its_tag() {
    assert_eq!(texts("@(E)\n\\t\\\\\nE\n"), ["\\t\\\\\n"]);
    assert_eq!(texts("@(E/t)\n\\t\\\\\\n\nE\n"), ["\t\\\\n\n"]);
    assert_eq!(texts("@(E/L)\na\\\nb\nE\n"), ["ab\n"]);
}

#[test]
fn plan_is_a_reserved_word_in_plans_alone() {
    assert_eq!(tokens("plan", Language::Plan), ["Plan:plan"]);
    assert_eq!(tokens("plan", Language::Manifest), ["Name:plan"]);
}

#[test]
fn templates_are_text_with_tags() {
    assert_eq!(
        tokens(
            "<%- | $a | -%>\n <%# no %>x <%= $a[\"%>\"] %> <%% y <% if 1 { %>",
            Language::Template
        ),
        [
            "Pipe:|",
            "Variable:$a",
            "Pipe:|",
            "TemplateText: ",
            "TemplateText:x ",
            "TemplateValue:<%=",
            "Variable:$a",
            "LeftBracket:[",
            "String:\"%>\"",
            "RightBracket:]",
            "TemplateValueEnd:%>",
            "TemplateText: <%% y ",
            "If:if",
            "Number:1",
            "LeftBrace:{",
        ]
    );
}

#[test]
fn tags_without_an_end() {
    let error = |text: &str| {
        let (_, errors) = tokenize(text, Language::Template);
        errors.first().map(|it| (it.range.start, it.message.clone()))
    };
    let unbalanced = "Unbalanced epp tag, reached <eof> without closing tag.".to_owned();
    assert_eq!(error("<% if $x { %>a<% }"), Some((14, unbalanced.clone())));
    assert_eq!(error("a <% $x = 1\nb"), Some((2, unbalanced.clone())));
    assert_eq!(error("<%-# c -%>\nb"), Some((0, unbalanced.clone())));
    assert_eq!(error("a <%="), Some((2, unbalanced)));
    let at_end = "Unbalanced embedded expression - opening <% and reaching end of input";
    assert_eq!(error("a <%"), Some((2, at_end.to_owned())));
    for text in ["", "a", "a <%%", "<%# c %>", "<% $x = 1 %>", "<% %>\n", "<%= 1 -%>\n"] {
        assert_eq!(error(text), None, "{text}");
    }
}

#[test]
fn what_is_unclosed_is_an_error_and_ends_with_the_file() {
    for text in ["'a", "\"a ${ b", "\"a", "/* a", "@(E)\na", "@(", "\"${\"${"] {
        let (tokens, errors) = tokenize(text, Language::Manifest);
        assert!(!errors.is_empty(), "{text}");
        let count = |kind| tokens.list.iter().filter(|it| it.kind == kind).count();
        assert_eq!(count(Kind::StringStart), count(Kind::StringEnd), "{text}");
    }
}
