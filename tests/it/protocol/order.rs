//! A request sees everything that was sent before it, and nothing else.

use hiera_ls::ide::Hover;
use hiera_ls::server::Features;
use hiera_ls::text::TextRange;

use crate::support::client::Client;
use crate::support::documents::no_features;

const PATH: &str = "/storm/data/common.yaml";

/// Hovers show the whole text of their file.
fn hovers_show_the_text() -> Features {
    Features {
        hover: |world, path, offset, _| {
            let text = world.file(path).ok()?.text.to_string();
            Some(Hover { markdown: text, range: TextRange::empty(offset) })
        },
        ..no_features()
    }
}

/// Numbers that look random and are the same in every run.
fn numbers() -> impl FnMut(usize) -> usize {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    move |bound| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % bound
    }
}

#[test]
fn a_storm_of_edits_stays_in_order() {
    let mut client = Client::start(hovers_show_the_text());
    let mut number = numbers();
    let mut text = "key: value\n".to_owned();
    let mut hovers = Vec::new();
    client.open(PATH, &text);
    for version in 2..5_002 {
        let start = number(text.len());
        let end = if text.len() > 200 { text.len() - 1 } else { start };
        let new = char::from(b'a' + number(26) as u8).to_string();
        let start = start.min(end);
        text.replace_range(start..end, &new);
        client.edit(PATH, version, ((0, start as u32), (0, end as u32)), &new);
        if version % 2 == 0 {
            hovers.push((client.request_hover(PATH, (0, 0)), text.clone()));
        }
    }
    let mut stale = 0;
    for (id, expected) in hovers {
        let answer = client.answer_to(id).expect("hover succeeds");
        stale += usize::from(answer["contents"]["value"] != expected.as_str());
    }
    assert_eq!(stale, 0, "hovers that do not show exactly the edits sent before them");
}
