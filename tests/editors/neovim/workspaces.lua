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
  t.contains(pick_case('site is empty and role is empty'), 'assuming that ', 'a case with empty texts can')
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

t.finish()
