//! Explanations as trees with places.

use super::*;

#[test]
fn explanations_are_trees_with_places() {
    let fixture = fixture(
        "#- /data/common.yaml\nlookup_options: {a: {merge: unique}}\na$0: [\"%{facts.os.family}\"]\n#- /data/nodes/web01.yaml\na: 'ENC[PKCS7,MIIB]'\n",
    );
    let world = fixture.world();
    let explained = explain(&world, &at_cursor(&fixture), &CancelToken::default())
        .expect("the node is there")
        .expect("there is a key");
    assert!(!explained.preview.text.contains("PKCS7"));
    expect![[r#"
        a for node web01, environment production

        collection of lookup_options
          Global Data Provider (hiera configuration version 5): does not have it
          Environment Data Provider (hiera configuration version 5)
            merge strategy hash: {"a"=>{"merge"=>"unique"}}
              level "Nodes"
                data/nodes/web01.yaml: does not have it
              level "Roles"
                data/roles/web.yaml: does not exist
              level "Common"
                data/common.yaml: {"a"=>{"merge"=>"unique"}}
        the merge strategy is in lookup_options
        search for a
          merge strategy unique: ["ENC[…] (encrypted, not shown)", "Debian"]
            Global Data Provider (hiera configuration version 5): does not have it
            Environment Data Provider (hiera configuration version 5)
              merge strategy unique: ["ENC[…] (encrypted, not shown)", "Debian"]
                level "Nodes"
                  data/nodes/web01.yaml: "ENC[…] (encrypted, not shown)"
                level "Roles"
                  data/roles/web.yaml: does not exist
                level "Common"
                  data/common.yaml: ["Debian"]
                    interpolation of "%{facts.os.family}"
                      Global Scope: {"os"=>{"family"=>"Debian"}}
                      sub key os.family
                        os: {"family"=>"Debian"}
                        family: "Debian"
        the value: ["ENC[…] (encrypted, not shown)", "Debian"]
    "#]]
    .assert_eq(&explained.preview.text);
    let found = explained.preview.lines.iter().filter(|line| line.kind == LineKind::Value);
    let found = Preview { lines: found.cloned().collect(), ..explained.preview.clone() };
    expect![[r#"
        [
            "5 /data/common.yaml:{a: {merge: unique}}",
            "11 /data/common.yaml:{a: {merge: unique}}",
            "19 /data/nodes/web01.yaml:'ENC[PKCS7,MIIB]'",
            "23 /data/common.yaml:[\"%{facts.os.family}\"]",
        ]
    "#]]
    .assert_debug_eq(&places(&world, &found));
}
