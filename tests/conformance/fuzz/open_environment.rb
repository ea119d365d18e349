# frozen_string_literal: true

module Conformance
  module Fuzz
    # A hierarchy most of whose levels depend on variables, with several files for each.
    class OpenHierarchy < Hierarchy
      PATHS = {
        'common.yaml' => ['common.yaml'], 'role/%{role}.yaml' => %w[role/web.yaml role/db.yaml role/web-a.yaml],
        'role/%{facts.role}-%{variant}.yaml' => %w[role/web-a.yaml role/db-a.yaml role/web-b-a.yaml role/-a.yaml role/web-.yaml],
        'site/%{site}/%{role}.yaml' => %w[site/bgo/web.yaml site/osl/web.yaml site/osl/db.yaml site/web.yaml],
        'site/%{site}/common.yaml' => %w[site/bgo/common.yaml site/osl/common.yaml site/common.yaml],
        'nodes/%{trusted.certname}.yaml' => %w[nodes/web1.example.com.yaml nodes/db1.example.com.yaml nodes/web2.yaml],
        'nodes/%{fqdn}.yaml' => %w[nodes/web1.example.com.yaml nodes/web2.yaml], 'role/%{::role}.yaml' => %w[role/web.yaml role/db.yaml],
        'os/%{facts.os.family}.yaml' => %w[os/Debian.yaml os/RedHat.yaml],
        'os/%{osfamily}/%{os.release.major}.yaml' => %w[os/Debian/11.yaml os/Debian/12.yaml os/RedHat/12.yaml],
        'os/%{facts.os.name}-%{facts.os.release.major}.yaml' => %w[os/Debian-12.yaml os/Fedora-40.yaml],
        '%{environment}/%{role}.yaml' => %w[production/web.yaml production/db.yaml], '%{environment}.yaml' => ['production.yaml'],
        'ext/%{trusted.extensions.pp_role}.yaml' => %w[ext/web.yaml ext/db.yaml], '%{role}/%{role}.yaml' => %w[web/web.yaml web/db.yaml],
        'x/../role/%{role}.yaml' => %w[role/web.yaml], '%{tier}common.yaml' => %w[common.yaml acommon.yaml bcommon.yaml],
        '%{tier}%{variant}common.yaml' => %w[common.yaml acommon.yaml aacommon.yaml abcommon.yaml],
        './role/%{role}/./a.yaml' => %w[role/web/a.yaml role/a.yaml], 'role/%{scope}/%{site}/%{role}.yaml' => %w[role/x/bgo/web.yaml],
        '%{site}/common.yaml' => %w[bgo/common.yaml osl/common.yaml common.yaml], '%{site}/%{role}.yaml' => %w[bgo/web.yaml web.yaml],
        'absent/%{role}.yaml' => [], 'role/%{list.0}.yaml' => %w[role/web.yaml], 'site/%{ site }//common.yaml' => %w[site/bgo/common.yaml],
        '%{trusted.hostname}.%{trusted.domain}.yaml' => %w[web1.example.com.yaml web1.a.yaml], '../up-%{role}.yaml' => ['../up-web.yaml']
      }.freeze
      ODD_PATHS = {
        '%{role}' => %w[web], 'role/%{role}' => %w[role/web], '%{role}.yaml' => %w[web.yaml common.yaml], '%{}%{role}.yaml' => ['web.yaml'],
        "%{literal('a')}%{role}.yaml" => [], 'site/%{site}/../common.yaml' => %w[site/bgo/x.yaml site/common.yaml],
        '%{role}/../common.yaml' => %w[web/x.yaml common.yaml], "%{'role'}.yaml" => ['web.yaml'], '%{m1::v}a.yaml' => ['a.yaml']
      }.freeze
      GLOBS = {
        'role/%{role}/*.yaml' => %w[role/web/a.yaml role/web/b.yaml role/db/a.yaml], '**/%{role}.yaml' => %w[role/web.yaml site/bgo/web.yaml],
        '%{site}/*.yaml' => %w[bgo/a.yaml osl/b.yaml common.yaml],
        'site/%{site}/{web,db}.yaml' => %w[site/bgo/web.yaml site/bgo/db.yaml site/osl/db.yaml], '%{role}*.yaml' => %w[web.yaml web-a.yaml],
        'role/*%{variant}.yaml' => %w[role/web-a.yaml role/a.yaml role/b.yaml], 'role/{%{role},%{variant}}.yaml' => %w[role/web.yaml role/a.yaml],
        'site/%{site}/**/*.yaml' => %w[site/bgo/web.yaml site/bgo/x/a.yaml site/common.yaml], '*.yaml' => %w[common.yaml web.yaml],
        'role/%{role}.yaml' => %w[role/web.yaml role/db.yaml], 'nodes/%{trusted.certname}*.yaml' => %w[nodes/web1.yaml nodes/web1.example.com.yaml],
        'site/%{site}/%{role}.{yaml,yml}' => %w[site/bgo/web.yaml site/bgo/db.yml site/web.yaml], 'role/[%{role}].yaml' => %w[role/w.yaml]
      }.freeze
      MAPPED = {
        ['roles', 'item', 'role/%{item}.yaml'] => %w[role/web.yaml role/db.yaml], ['list', 't', 'site/%{site}/%{t}.yaml'] => %w[site/bgo/a.yaml],
        ['nope', 't', 'absent/%{t}.yaml'] => []
      }.freeze
      DATADIRS = { 'data' => 'data', 'hieradata/%{environment}' => 'hieradata/production', 'data/%{facts.site}' => 'data/bgo',
                   '%{facts.role}' => 'web', 'hieradata/%{trusted.extensions.pp_site}' => 'hieradata/osl' }.freeze
      ODD_DATADIRS = { '%{site}data' => 'data', '%{tier}' => 'data', '%{role}' => 'web' }.freeze

      private

      def mistaken(body)
        @chance.one_in(3) ? super : body
      end

      def paths
        @chance.one_in(20) ? ODD_PATHS : PATHS
      end

      def globs
        GLOBS
      end

      # Cases do not cover open lists, so there are few of them.
      def mapped
        @chance.one_in(4) ? MAPPED : { ['nope.x', 't', 'absent/%{t}.yaml'] => [] }
      end

      def datadirs
        return { 'data' => 'data' } if @chance.one_in(2)

        @chance.one_in(12) ? ODD_DATADIRS : DATADIRS
      end
    end

    # A random environment for lookups without facts.
    class OpenEnvironment < Environment
      VARIABLES_IN_TEXTS = %w[role ::role facts.role role role variant site site facts.site tier facts.os.family osfamily os.name
                              trusted.certname trusted.hostname trusted.extensions.pp_role environment number facts.os.release.major
                              fqdn facts.networking.fqdn list.0 text].freeze

      private

      def values
        Values.new(@chance, @keys, VARIABLES_IN_TEXTS)
      end

      def hierarchy_of(kind)
        OpenHierarchy.new(@chance, kind)
      end

      def facts
        {}
      end
    end
  end
end
