-- What the sample has not: a second workspace, variables that are not set, nodes with a blank in their names.
package.path = debug.getinfo(1, 'S').source:match('^@(.*)/') .. '/?.lua;' .. package.path
local t = require('harness')

t.setup()

--- Writes a workspace beside the sample and returns its path.
local function workspace(name, files)
  local root = vim.fs.dirname(t.root) .. '/' .. name
  for path, text in pairs(files) do
    local file = root .. '/' .. path
    vim.fn.mkdir(vim.fs.dirname(file), 'p')
    vim.fn.writefile(vim.split(text, '\n'), file)
  end
  return root
end

--- Opens a file of a workspace in the current window and waits for its server.
local function open(root, path)
  t.root = root
  t.open(path)
end

--- What `body` says.
local function said(body)
  local messages = {}
  local original = vim.notify
  vim.notify = function(message)
    messages[#messages + 1] = message
  end
  body(messages)
  vim.notify = original
  return table.concat(messages, '\n')
end

--- Picks the case whose condition is `when`, and returns what is said.
local function pick_case(when)
  local select = vim.ui.select
  vim.ui.select = function(cases, _, done)
    done(vim.iter(cases):find(function(case)
      return case.when == when
    end))
  end
  local message = said(function(messages)
    vim.cmd('Hiera case')
    vim.wait(t.patience, function()
      return #messages > 0
    end, 10)
  end)
  vim.ui.select = select
  return message
end

t.group('cases', function()
  local root = workspace('unset', {
    ['hiera.yaml'] = 'version: 5\nhierarchy: [{name: N, paths: ["site-%{site}/role-%{role}.yaml", common.yaml]}]',
    ['data/site-/role-.yaml'] = 'a: "%{role}-%{site}"',
    ['data/common.yaml'] = 'a: common',
  })
  open(root, 'data/common.yaml')
  local message = pick_case('site is empty and role is not set')
  t.contains(message, 'cannot be assumed', 'a case with a variable that is not set cannot be assumed')
  message = pick_case('site is empty and role is empty')
  t.contains(message, 'role is empty and site is empty', 'a case with empty texts can be, and is said in words')
  t.eventually('also in a status line', function()
    return vim.endswith(require('hiera').status(), 'role is empty and site is empty')
  end)
end)

t.group('names with blanks', function()
  t.stop()
  local root = workspace('module', {
    ['metadata.json'] = '{"name": "x-demo", "version": "1.0.0", "operatingsystem_support": '
      .. '[{"operatingsystem": "Debian", "operatingsystemrelease": ["11", "12"]}]}',
    ['hiera.yaml'] = 'version: 5\nhierarchy: [{name: N, paths: ["os/%{facts.os.name}.yaml", common.yaml]}]',
    ['data/common.yaml'] = 'demo::a: 1',
  })
  open(root, 'data/common.yaml')
  local function completed(line)
    return vim.fn.getcompletion('Hiera ' .. line, 'cmdline')
  end
  t.check(vim.deep_equal(completed('node Deb'), { 'Debian 11', 'Debian 12' }), 'names with blanks are completed')
  t.check(vim.deep_equal(completed('node Debian 1'), { '11', '12' }), 'also after the blank')
  t.check(vim.deep_equal(completed([[compare Debian\ 1]]), { 'Debian 11', 'Debian 12' }), 'and with a backslash')
  for _, name in ipairs({ 'Debian 12', [[Debian\ 11]] }) do
    vim.cmd('Hiera node ' .. name)
    local shown = name:gsub('\\', '')
    t.eventually(':Hiera node takes ' .. name, function()
      return vim.startswith(require('hiera').status(), shown)
    end)
  end
end)

t.group('two workspaces', function()
  t.stop()
  local files = {
    ['hiera.yaml'] = 'version: 5\nhierarchy: [{name: N, paths: ["nodes/%{trusted.certname}.yaml", common.yaml]}]',
    ['data/nodes/n1.yaml'] = 'b: 2',
    ['data/common.yaml'] = 'a: 1\nb: 1',
  }
  local other, own = workspace('other', files), workspace('own', files)
  open(other, 'data/common.yaml')
  local elsewhere = vim.api.nvim_get_current_win()
  vim.cmd('split')
  open(own, 'data/common.yaml')
  local text = vim.api.nvim_get_current_buf()
  vim.cmd('Hiera preview file')
  t.shows('preview', 'a: 1  # data/common.yaml', 'a preview opens')
  local _, window = t.preview_of('preview')

  vim.api.nvim_set_current_win(elsewhere)
  vim.api.nvim_buf_set_lines(text, 0, 1, false, { 'a: 77' })
  t.shows('preview', 'a: 77', 'it follows a change while the cursor is in the other workspace')
  vim.api.nvim_set_current_win(window)
  vim.api.nvim_buf_set_lines(text, 0, 1, false, { 'a: 88' })
  t.shows('preview', 'a: 88', 'and while it is in the preview')
  vim.cmd('Hiera node n1')
  t.shows('preview', 'b: 2  # data/nodes/n1.yaml', 'a node that is chosen there is one of its workspace')
end)

t.finish(2)
