"""Compares the JSON schema of hiera.yaml with Puppet's verdicts on the recorded files: hiera_yaml_schema.py SCHEMA RECORDED

The schema accepts what Puppet accepts. It refuses most files with a value of a wrong type, but not all: it cannot distinguish 5.0
from 5, for example.
"""

import json
import sys

import jsonschema
import ruamel.yaml

SCHEMA, RECORDED = sys.argv[1:]
# Puppet takes `false` for nothing; an editor should not.
TOLERATED = {"version: 5\ndefaults: false\nhierarchy: false\n"}

validator = jsonschema.Draft7Validator(json.load(open(SCHEMA)))
wrongly_refused, refused, accepted = [], 0, 0
for line in open(RECORDED):
    record = json.loads(line)
    if "puppet" not in record or record["yaml"] in TOLERATED:
        continue
    try:
        data = ruamel.yaml.YAML(typ="safe", pure=True).load(record["yaml"])
    except Exception:
        continue
    if not isinstance(data, dict) or data.get("version") != 5:
        continue
    is_error = any("rror" in said.split(":")[0] for said in record["puppet"])
    if validator.is_valid(data):
        accepted += 1
    elif is_error:
        refused += 1
    else:
        wrongly_refused.append(record["yaml"])
print(f"{accepted} taken, {refused} refused as Puppet refuses them, {len(wrongly_refused)} wrongly refused")
print("\n".join(wrongly_refused))
sys.exit(bool(wrongly_refused) or refused < 50 or accepted < 50)
