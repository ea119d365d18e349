-- A user's session in the sample control repository.
package.path = debug.getinfo(1, 'S').source:match('^@(.*)/') .. '/?.lua;' .. package.path
local t = require('harness')

t.setup()

t.group('start', function()
  t.open('data/common.yaml')
  t.check(vim.bo.filetype == 'yaml', 'the filetype is yaml')
  t.check(t.client().root_dir == t.root, 'the server runs in the repository')
  t.eventually_clean('the sample has no problems')
end)

t.group('hover', function()
  t.contains(t.hover_window('company::domain'), 'kittiwake.example', 'K shows a value')
  local merged = t.hover('company::contact')
  t.contains(merged, 'operations@kittiwake.example', 'a hover shows the interpolated value')
  t.contains(t.hover("lookup('company::domain')", 10), 'kittiwake.example', 'a hover on a token shows what it finds')
  t.contains(t.hover('facts.networking.hostname', 20), 'web01', "a hover on a fact shows the node's")
end)

t.group('merged values', function()
  t.open('data/nodes/web01.kittiwake.example.yaml')
  local packages = t.hover('profile::base::packages')
  t.contains(packages, 'goaccess', 'the highest level is in the merged value')
  t.contains(packages, 'unattended-upgrades', 'the operating system is in it')
  t.contains(packages, 'htop', 'the lowest level is in it')
  t.contains(packages, 'common.yaml', 'the hover says where values come from')
  local accounts = t.hover('profile::base::accounts')
  t.contains(accounts, 'nologin', 'a deep merge takes the highest scalar')
  t.contains(accounts, 'release', 'and joins lists')
end)

t.group('other formats and layers', function()
  t.open('data/harbours/bergen.json')
  t.contains(t.hover('harbour::name'), 'Bergen', 'a hover in JSON')
  t.open('modules/timesync/data/common.yaml')
  t.contains(t.hover('timesync::servers:'), 'time1.kittiwake.example', "a module's key is merged with the environment's")
  t.contains(t.hover('timesync::config_file'), '/etc/chrony/chrony.conf', 'a level of the module hides another')
end)

t.group('editing', function()
  t.open('data/common.yaml')
  t.replace_line('company::domain: kittiwake', 'company::domain: puffin.example')
  t.contains(t.hover('company::contact'), 'operations@puffin.example', 'a hover sees what is not saved')
  t.open('data/roles/web.yaml')
  t.contains(t.hover('profile::web::vhosts'), 'booking.puffin.example', 'and so does another file')
  t.open('data/common.yaml')
  vim.cmd('silent undo')
  t.contains(t.hover('company::contact'), 'operations@kittiwake.example', 'undo is seen, too')
end)

t.group('diagnostics', function()
  t.open('data/common.yaml')
  t.replace_line('company::name: ', "company::name: \"%{lokup('x')}\"")
  t.eventually('a misspelt function is reported', function()
    return t.has_code('unknown-function')
  end)
  vim.cmd('silent undo')
  t.eventually_clean('and forgotten after undo')

  t.replace_line('company::name: ', 'company::name: "never closed')
  t.eventually('broken YAML is reported', function()
    return t.has_code('yaml-syntax')
  end)
  t.contains(t.hover('company::domain: '), 'kittiwake.example', 'other keys of a broken file still answer')
  vim.cmd('silent undo')
  t.eventually_clean('and mended after undo')

  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_buf_set_lines(0, last, last, false, { 'company::domain: again' })
  t.eventually('a duplicate key is reported', function()
    return t.has_code('duplicate-key')
  end)
  vim.cmd('silent undo')
  t.eventually_clean('and forgotten after undo')
end)

t.group('definition', function()
  t.open('data/common.yaml')
  local path, line = t.definition("lookup('company::domain')", 10)
  t.check(path == 'data/common.yaml', 'a token leads to its key in the same file: ' .. tostring(path))
  t.contains(line, 'company::domain: kittiwake', 'and to its line')
  t.open('data/roles/web.yaml')
  path, line = t.definition("alias('profile::booking::listen_port')", 10)
  t.check(path == 'data/common.yaml', 'a token leads to another file: ' .. tostring(path))
  t.contains(line, 'profile::booking::listen_port: 8443', 'and to its line')
end)

t.group('levels', function()
  t.open('data/common.yaml')
  t.at('profile::base::packages:', 3)
  vim.cmd('Hiera up')
  t.eventually(':Hiera up goes to what overrides a key', function()
    return vim.fs.relpath(t.root, vim.api.nvim_buf_get_name(0)) ~= 'data/common.yaml'
      and vim.startswith(vim.api.nvim_get_current_line(), 'profile::base::packages:')
  end)
  vim.cmd('Hiera down')
  t.eventually('and :Hiera down back', function()
    return vim.fs.relpath(t.root, vim.api.nvim_buf_get_name(0)) == 'data/common.yaml'
      and vim.startswith(vim.api.nvim_get_current_line(), 'profile::base::packages:')
  end)
end)

t.group('rename', function()
  t.open('data/common.yaml')
  t.at('company::domain: ', 3)
  vim.lsp.buf.rename('company::dns_domain')
  t.eventually('a rename changes the key', function()
    return vim.fn.search('^company::dns_domain: kittiwake', 'nw') > 0
  end)
  t.check(vim.fn.search("lookup('company::dns_domain')", 'nw') > 0, 'and the calls in the same file')
  t.contains(t.hover('company::contact'), 'operations@kittiwake.example', 'which give the same as before')
  t.check(vim.fn.search('company::domain', 'nw') == 0, 'nothing has the old name')
  local hidden = t.changed_text('data/roles/web.yaml')
  t.contains(hidden, 'company::dns_domain', 'other files are changed, too')
  t.at('company::dns_domain: ', 3)
  vim.lsp.buf.rename('company::domain')
  t.eventually('and back', function()
    return vim.fn.search('^company::domain: kittiwake', 'nw') > 0
  end)
  t.eventually_clean('the sample is as it was')
end)

t.group('completion', function()
  t.open('data/common.yaml')
  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_buf_set_lines(0, last, last, false, { "half::typed: \"%{lookup('company::do" })
  vim.api.nvim_win_set_cursor(0, { last + 1, 39 })
  local found = t.request('textDocument/completion')
  local item = vim.iter(found.items):find(function(item)
    return item.label == 'company::domain'
  end)
  t.check(item, 'a key is proposed in a half-typed call')
  local resolved = item and t.client():request_sync('completionItem/resolve', item, 5000, 0)
  local shown = resolved and resolved.result.documentation.value
  t.contains(shown, 'kittiwake.example', 'with its value')
  vim.cmd('silent undo')
  t.eventually_clean('and all is as before')
end)

t.group('nodes', function()
  t.open('data/common.yaml')
  local hiera = require('hiera')
  local nodes
  hiera.nodes(function(answer)
    nodes = answer
  end)
  t.eventually('three nodes are known', function()
    return nodes and #nodes == 3
  end)
  t.check(nodes and vim.iter(nodes):any(function(node)
    return node.name == 'web01.kittiwake.example' and node.active
  end), 'the one that the project file names is active')
  t.check(vim.deep_equal(vim.fn.getcompletion('Hiera node db', 'cmdline'), { 'db01.kittiwake.example' }),
    ':Hiera node completes names')
  t.check(vim.deep_equal(vim.fn.getcompletion('Hiera n', 'cmdline'), { 'node' }), ':Hiera completes subcommands')
  t.check(vim.list_contains(vim.fn.getcompletion('Hiera compare ', 'cmdline'), 'saved'), ':Hiera compare completes')
  t.contains(vim.fn.execute('Hiera'), 'all-nodes, case, case!, changes, compare, down', ':Hiera alone says what there is')
  local web01 = nodes and vim.iter(nodes):find(function(node)
    return node.active
  end)
  t.contains(web01 and hiera.describe(web01), '* web01.kittiwake.example (pp_role: web, harbour: bergen', 'a choice says what a node is')
  vim.cmd('Hiera node db01.kittiwake.example')
  t.eventually('after :Hiera node, hovers answer for that node', function()
    local text = t.hover('profile::base::packages:', 3) or ''
    return text:find('dnf-automatic', 1, true) ~= nil
  end)
  vim.cmd('Hiera node web01.kittiwake.example')
  t.eventually('and back', function()
    local text = t.hover('profile::base::sysctl:', 3) or ''
    return text:find('overcommit', 1, true) == nil
  end)
end)

local preview_of, shows = t.preview_of, t.shows

t.group('preview', function()
  t.open('data/common.yaml')
  local window = vim.api.nvim_get_current_win()
  t.at('profile::base::packages:', 2)
  -- The one in lookup_options comes first: it is about the same key.
  vim.cmd('Hiera preview')
  shows('preview', '- goaccess  # data/nodes/web01.kittiwake.example.yaml:', ':Hiera preview shows the merged value')
  shows('preview', '# merge strategy unique, set in data/common.yaml:', 'and who set the merge')
  t.check(vim.api.nvim_get_current_win() == window, 'the focus stays')

  t.replace_line('  - htop', '  - btop')
  shows('preview', '- btop  # data/common.yaml:', 'the preview follows what is typed')
  t.check(vim.api.nvim_get_current_win() == window, 'and the focus stays')

  vim.cmd('Hiera compare saved')
  shows('compare', '+  - btop', ':Hiera compare saved shows the unsaved edit')
  vim.cmd('silent undo')
  shows('compare', 'no difference', 'and that it is gone')

  local facts = t.root .. '/.hiera-ls/facts/kiosk03.kittiwake.example.json'
  local content = vim.fn.readfile(facts)
  vim.cmd('Hiera compare kiosk03.kittiwake.example')
  shows('compare', 'kiosk03', ':Hiera compare shows another node')
  vim.cmd('messages clear')
  vim.fn.delete(facts)
  shows('compare', '# no node has the name kiosk03', 'and says that it is gone')
  t.check(not vim.fn.execute('messages'):find('no node has the name'), 'only in its own window')
  vim.fn.writefile(content, facts)
  shows('compare', '-  - ', 'until it is back')

  vim.cmd('Hiera node db01.kittiwake.example')
  shows('preview', 'dnf-automatic', 'the preview follows the active node')
  vim.cmd('Hiera node web01.kittiwake.example')
  shows('preview', 'goaccess', 'and back')

  local _, preview = preview_of('preview')
  vim.api.nvim_set_current_win(preview)
  t.check(not vim.bo.modifiable and vim.bo.filetype == 'yaml', 'the preview is YAML and read-only')
  t.at('- goaccess')
  vim.cmd('normal gd')
  t.contains(vim.api.nvim_buf_get_name(0), 'data/nodes/web01.kittiwake.example.yaml', 'gd leads to the source')
  t.contains(vim.api.nvim_get_current_line(), '- goaccess', 'and to its line')
  t.check(vim.api.nvim_get_current_win() == window, 'in the window of the text')
  vim.api.nvim_set_current_win(preview)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  local ok = pcall(vim.cmd, 'normal gd')
  t.check(ok and vim.api.nvim_get_current_win() == preview, 'on a line without a source, gd stays where it is')
  t.contains(vim.fn.execute('messages'), 'this line does not come from a file', 'and says why')
  vim.api.nvim_set_current_win(window)

  vim.fn.setqflist({ { filename = 'data/common.yaml', lnum = 1 } })
  vim.cmd('copen')
  vim.api.nvim_set_current_win(preview)
  t.at('- goaccess')
  vim.cmd('normal gd')
  t.check(vim.api.nvim_get_current_win() == window, 'also if the user comes from a list')
  vim.cmd('cclose')

  t.open('data/common.yaml')
  vim.cmd('Hiera preview node')
  shows('preview', '== module timesync ==', ':Hiera preview node shows everything')
  vim.cmd('Hiera preview file')
  shows('preview', 'keys of data/common.yaml', ':Hiera preview file shows the keys of the file')
  vim.cmd('only')
end)

--- Answers the next question of `vim.ui.select` with the first choice that is shown with `part`; returns what is shown.
local function choosing(part)
  local original, shown = vim.ui.select, {}
  vim.ui.select = function(items, options, done)
    vim.ui.select = original
    local chosen
    for _, item in ipairs(items) do
      local line = options.format_item and options.format_item(item) or item
      shown[#shown + 1] = line
      if not chosen and line:find(part, 1, true) then
        chosen = item
      end
    end
    done(chosen)
  end
  return shown
end

--- Waits until the status line of the current window says `text`.
local function status_is(text, message)
  vim.o.statusline = "%{v:lua.require'hiera'.status()}"
  if not t.eventually(message, function()
    return vim.api.nvim_eval_statusline(vim.o.statusline, { maxwidth = 200 }).str == text
  end) then
    io.stdout:write('     ' .. require('hiera').status() .. '\n')
  end
  vim.o.statusline = ''
end

t.group('cases', function()
  t.open('data/common.yaml')
  status_is('web01.kittiwake.example', 'a status line names the chosen node')
  local offered = choosing('any node')
  vim.cmd('Hiera node')
  status_is('any node · 6 facts open', ':Hiera node chooses any node, too, whatever the project file says')
  t.check(#offered == 4 and offered[1]:find('any node', 1, true), 'which stands first')

  local hover = t.hover_window('profile::base::sysctl:')
  t.contains(hover, 'any node', 'K says for whom the value is')
  t.open('data/roles/database.yaml')
  status_is('any node · pp_role is database · 5 facts open', "what a file's path says is known")
  hover = t.hover_window('profile::database::shared_buffers')
  t.contains(hover, 'any node where trusted.extensions.pp', 'and the hover says so')
  t.contains(hover, '4GB', 'K shows what most nodes get')
  t.contains(hover, '`16GB` if trusted.certname is db01.kittiwake.example (`data/nodes/db01.kittiwake.example.yaml:4`)',
    'and what others get, and where that stands')

  vim.cmd('Hiera preview')
  shows('preview', 'profile::database::shared_buffers: 4GB  # data/roles/database.yaml', 'a preview shows what most nodes get')
  shows('preview', '# profile::database::shared_buffers: 16GB', 'and the cases')
  local _, window = preview_of('preview')
  local marks = vim.api.nvim_buf_get_extmarks(vim.api.nvim_win_get_buf(window), -1, 0, -1, { details = true })
  t.check(vim.iter(marks):any(function(mark)
    return mark[4].hl_group == 'HieraCase'
  end), 'which look different')

  offered = choosing('otherwise')
  vim.cmd('Hiera case')
  t.eventually(':Hiera case offers the cases with their values', function()
    return offered[1] == 'trusted.certname is db01.kittiwake.example: "16GB"' and offered[2] == 'otherwise: "4GB"'
  end)
  t.eventually('"otherwise" cannot be assumed, and says why', function()
    return vim.fn.execute('messages'):find('"otherwise" cannot be assumed', 1, true) ~= nil
  end)
  vim.api.nvim_set_current_win(window)
  choosing('16GB')
  vim.cmd('Hiera case')
  shows('preview', '\nprofile::database::shared_buffers: 16GB', 'a case that is picked in the preview holds there')
  vim.cmd('wincmd p')
  t.contains(t.hover('profile::database::shared_buffers'), '16GB', 'and in hovers')
  t.check(not t.hover('profile::database::shared_buffers'):find(' if ', 1, true), 'which have no cases any more')
  status_is('any node · pp_role is database and certname is db01.kittiwake.example · 4 facts open', 'the status line says what is assumed')
  t.open('data/common.yaml')
  status_is('any node · certname is db01.kittiwake.example · 5 facts open', 'also in other files')
  offered = choosing('pp_role is database')
  t.at('profile::base::sysctl:', 3)
  vim.cmd('Hiera case')
  status_is('any node · certname is db01.kittiwake.example and pp_role is database · 4 facts open', 'another case is assumed as well')
  t.contains(t.hover('profile::base::sysctl:', 3), 'overcommit', 'and holds')
  t.check(vim.list_contains(vim.fn.getcompletion('Hiera ', 'cmdline'), 'forget'), ':Hiera completes forget')
  vim.cmd('Hiera case!')
  status_is('any node · 6 facts open', ':Hiera case! forgets all of it')
  t.at('company::domain: ', 3)
  vim.cmd('Hiera case')
  t.eventually('where all nodes get the same value, there are no cases', function()
    return vim.fn.execute('messages'):find('there are no cases', 1, true) ~= nil
  end)
  vim.cmd('Hiera node web01.kittiwake.example')
  status_is('web01.kittiwake.example', 'a chosen node counts again')
  vim.cmd('only')
end)

t.group('explain and all nodes', function()
  t.open('data/common.yaml')
  t.at('company::contact:', 2)
  vim.cmd('Hiera explain')
  shows('explain', 'search for company::contact', ':Hiera explain shows the lookup')
  shows('explain', 'operations@kittiwake.example', 'and the value')
  local explained, window = preview_of('explain')
  t.contains(vim.split(explained, '\n')[2], 'operations@kittiwake.example', 'the answer comes first')
  t.check(vim.wo[window].foldmethod == 'indent', 'the search can be folded')
  t.at('profile::base::packages:', 2)
  vim.cmd('Hiera all-nodes')
  shows('all-nodes', 'for 3 nodes', ':Hiera all-nodes groups the nodes')
  vim.cmd('Hiera compare db01.kittiwake.example')
  shows('compare', '+  - dnf-automatic', ':Hiera compare shows what another node gets')
  t.at('company::domain: ', 1)
  local number = vim.api.nvim_win_get_cursor(0)[1] - 1
  local line = vim.api.nvim_buf_get_lines(0, number, number + 1, false)[1]
  vim.cmd('Hiera changes saved')
  shows('changes', '0 answers change', ':Hiera changes shows that nothing is edited')
  vim.api.nvim_buf_set_lines(0, number, number + 1, false, { 'company::domain: ferries.example' })
  shows('changes', '+ ferries.example', 'and follows what is typed')
  shows('changes', 'of 3 nodes change', 'and says how many nodes it concerns')
  vim.lsp.codelens.refresh({ bufnr = 0 })
  t.eventually('the edited key has a lens', function()
    return vim.iter(vim.lsp.codelens.get(0)):any(function(lens)
      return lens.command.command == 'hiera.changes' and lens.command.title:find('of 3 nodes', 1, true) ~= nil
    end)
  end)
  local function edited()
    return vim.api.nvim_eval_statusline("%{v:lua.require'hiera'.edited()}", { maxwidth = 200 }).str
  end
  t.eventually('a status line can say what the edited key changes', function()
    return edited():find('of 3 nodes', 1, true) ~= nil
  end)
  local before, buffer = edited(), vim.api.nvim_get_current_buf()
  t.open('data/roles/web.yaml')
  vim.api.nvim_buf_set_lines(0, 1, 2, false, { 'company::domain: web.example' })
  vim.cmd.buffer(buffer)
  t.eventually('a status line follows an edit in another file', function()
    return edited() ~= before
  end)
  t.open('data/roles/web.yaml')
  vim.cmd('edit!')
  vim.cmd.buffer(buffer)
  vim.api.nvim_buf_set_lines(0, number, number + 1, false, { line })
  shows('changes', '0 answers change', 'and when it is taken back')
  t.eventually('a status line says no more of it', function()
    return edited() == ''
  end)
  local columns = {}
  for _, kind in ipairs({ 'explain', 'all-nodes', 'compare' }) do
    local _, window = preview_of(kind)
    columns[#columns + 1] = vim.api.nvim_win_get_position(window)[2]
  end
  vim.api.nvim_set_current_win(window)
  vim.cmd('Hiera preview')
  shows('preview', 'company::contact: operations@', 'a command in a preview is about its key')
  vim.cmd('Hiera up')
  t.contains(vim.fn.execute('messages'), 'this is not a file with Hiera data', 'but a preview has no levels')
  vim.cmd('wincmd p')
  vim.cmd('tab split')
  t.at('company::contact:', 2)
  vim.cmd('Hiera explain')
  shows('explain', 'search for company::contact', 'a preview opens also in another tab page')
  vim.cmd('tabclose')
  t.check(columns[1] > 0 and columns[1] == columns[2] and columns[2] == columns[3], 'previews share one column beside the text')
  vim.cmd('only')
  t.check(preview_of('explain') == nil, 'closed windows are gone')
end)

t.group('at a glance', function()
  t.open('data/nodes/web01.kittiwake.example.yaml')
  vim.lsp.codelens.refresh({ bufnr = 0 })
  local lens
  t.eventually('a key of several levels has a lens', function()
    for _, candidate in ipairs(vim.lsp.codelens.get(0)) do
      if candidate.command and candidate.command.title:find('4 levels · unique', 1, true) then
        lens = candidate
      end
    end
    return lens ~= nil
  end)
  vim.api.nvim_win_set_cursor(0, { lens.range.start.line + 1, 0 })
  vim.lsp.codelens.run()
  shows('preview', 'profile::base::packages:', 'running it opens the preview')
  vim.cmd('only')
  vim.lsp.inlay_hint.enable(true, { bufnr = 0 })
  t.eventually('hints show what tokens stand for', function()
    return vim.iter(vim.lsp.inlay_hint.get({ bufnr = 0 })):any(function(hint)
      return hint.inlay_hint.label[1].value == '= kittiwake.example'
    end)
  end)
  t.eventually('semantic tokens mark functions', function()
    local line = t.at("lookup('company::domain')")
    local column = vim.api.nvim_win_get_cursor(0)[2]
    local tokens = vim.lsp.semantic_tokens.get_at_pos(0, line - 1, column) or {}
    return tokens[1] ~= nil and tokens[1].type == 'function'
  end)
end)

t.group('Puppet code', function()
  t.open('data/roles/web.yaml')
  t.eventually_clean('the keys of a class have no problems')
  t.replace_line('profile::web::worker_processes: ', 'profile::web::worker_proceses: 6')
  t.eventually('a misspelt parameter is reported', function()
    return t.has_code('unknown-parameter')
  end)
  local row = t.at('profile::web::worker_proceses', 3)
  local squiggle = vim.diagnostic.get(0, { lnum = row - 1 })[1]
  t.check(squiggle and squiggle.col == 0 and squiggle.end_col == #'profile::web::worker_proceses', 'the squiggle is below the key')
  vim.lsp.buf.code_action({
    filter = function(action)
      return action.title == 'Write `profile::web::worker_processes`'
    end,
    apply = true,
  })
  t.eventually('its fix writes the name that was meant', function()
    return vim.fn.search('^profile::web::worker_processes: 6$', 'nw') > 0
  end)
  t.eventually_clean('and the problem is gone')

  t.open('site-modules/profile/manifests/web.pp')
  t.check(vim.bo.filetype == 'puppet', 'the filetype of a manifest is puppet')
  local class = t.hover('$worker_processes', 3)
  t.contains(class, 'profile::web::worker_processes', 'a hover in the manifest is about the key')
  t.contains(class, '\n6\n', 'and shows the value that is not saved')
  local path, line = t.definition('$worker_processes', 3)
  t.check(path == 'data/roles/web.yaml', 'a definition leads from the manifest into the data: ' .. tostring(path))
  t.contains(line, 'profile::web::worker_processes: 6', 'and to its line')

  t.open('site-modules/profile/manifests/web.pp')
  t.at('$worker_processes', 3)
  vim.lsp.buf.rename('workers')
  t.eventually('a rename changes the parameter', function()
    return vim.fn.search('Integer\\[1\\] \\$workers,', 'nw') > 0
  end)
  t.contains(t.changed_text('data/roles/web.yaml'), 'profile::web::workers: 6', 'and its key in the data')
  t.open('data/roles/web.yaml')
  t.eventually_clean('which is the parameter of a class again')
  t.open('site-modules/profile/manifests/web.pp')
  t.at('$workers', 3)
  vim.lsp.buf.rename('worker_processes')
  t.eventually('and back', function()
    return vim.fn.search('Integer\\[1\\] \\$worker_processes,', 'nw') > 0
  end)
  t.replace_line('$log_format', '  String[1] $format,')
  t.open('data/roles/web.yaml')
  t.eventually('an edit of the manifest changes what the data are told', function()
    return t.has_code('unknown-parameter')
  end)
  t.open('site-modules/profile/manifests/web.pp')
  vim.cmd('silent undo')
  t.open('data/roles/web.yaml')
  t.eventually_clean('until it is undone')
  vim.cmd('silent edit!')
end)

t.group('health', function()
  vim.cmd('silent checkhealth hiera')
  local report = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  t.contains(report, 'A server runs in ' .. t.root, ':checkhealth finds the server')
  t.contains(report, 'web01.kittiwake.example', 'and the nodes')
  t.check(not report:find('ERROR', 1, true), 'and no errors')
  vim.cmd('bwipeout!')
end)

t.group('help', function()
  vim.cmd('silent help :Hiera')
  t.contains(vim.api.nvim_buf_get_name(0), 'doc/hiera.txt', ':help knows the command')
  vim.cmd('bwipeout')
  -- The tags are part of the plugin, for those who have no plugin manager that makes them.
  local plugin = assert(os.getenv('HIERA_PLUGIN'))
  local copy = vim.fn.tempname()
  vim.fn.mkdir(copy)
  vim.uv.fs_copyfile(plugin .. '/doc/hiera.txt', copy .. '/hiera.txt')
  vim.cmd.helptags(copy)
  t.check(
    vim.deep_equal(vim.fn.readfile(copy .. '/tags'), vim.fn.readfile(plugin .. '/doc/tags')),
    'doc/tags is what :helptags makes'
  )
end)

t.group('outside of a repository', function()
  local elsewhere = vim.fn.tempname()
  vim.fn.mkdir(elsewhere, 'p')
  vim.fn.writefile({ 'a: 1' }, elsewhere .. '/plain.yaml')
  vim.cmd.edit(elsewhere .. '/plain.yaml')
  vim.wait(300)
  t.check(t.client() == nil, 'a YAML file elsewhere has no server')
end)

t.finish()
