-- A large real repository: every answer is compared with what Puppet said, read at run time from beside it.
package.path = debug.getinfo(1, 'S').source:match('^@(.*)/') .. '/?.lua;' .. package.path
local t = require('harness')

--- Hovers compared per file.
local KEYS_PER_FILE = 40

local function read_lines(path)
  local lines = {}
  for line in io.lines(t.root .. '/' .. path) do
    lines[#lines + 1] = vim.json.decode(line, { luanil = { object = true } })
  end
  return lines
end

-- What Puppet answers, for keys whose value a hover must show as it is: one-line texts.
local expected = {}
for _, answer in ipairs(read_lines('expected.debian.p8.jsonl')) do
  local value = answer.value
  if answer.status == 'found' and type(value) == 'string' and #value > 3 and not value:find('[\n"\'\\]') then
    expected[answer.key] = value
  end
end

local run = vim.json.decode(table.concat(vim.fn.readfile(t.root .. '/run.debian.json'), '\n'))
vim.fn.writefile({ vim.json.encode({
  puppetVersion = 8,
  node = run.node,
  environment = run.environment,
  nodes = { [run.node] = { facts = run.facts, trusted = run.trusted } },
}) }, t.root .. '/.hiera-ls.yaml')

t.setup()

--- Hovers over the file's keys; returns how many it compared, how many agreed, and the slowest in milliseconds.
local function compare(path)
  t.open(path)
  local compared, agreed, slowest = 0, 0, 0
  for _, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local key = line:match('^([%w_:]+): ') or line:match('^([%w_:]+):$')
    if key and expected[key] and compared < KEYS_PER_FILE then
      compared = compared + 1
      local began = vim.uv.hrtime()
      local text = t.hover(line) or ''
      slowest = math.max(slowest, (vim.uv.hrtime() - began) / 1e6)
      if text:find(expected[key], 1, true) then
        agreed = agreed + 1
      else
        io.stdout:write(('     %s: another value\n'):format(key))
      end
    end
  end
  return compared, agreed, slowest
end

for _, path in ipairs({ 'hieradata/common/common.yaml', 'hieradata/common/modules/profile.yaml' }) do
  t.group(path, function()
    if vim.fn.filereadable(t.root .. '/' .. path) == 0 then
      return
    end
    local compared, agreed, slowest = compare(path)
    t.check(compared == agreed, ('%s: %d of %d hovers show what Puppet answers'):format(path, agreed, compared))
    t.check(slowest < 500, ('%s: no hover takes half a second (%.1f ms)'):format(path, slowest))
  end)
end

t.group('typing', function()
  t.open('hieradata/common/common.yaml')
  vim.bo.readonly = false
  local line = vim.api.nvim_buf_line_count(0)
  local text = "e2e::typed: \"%{lookup('e2e::nothing')}\""
  vim.api.nvim_buf_set_lines(0, line, line, false, { '' })
  for length = 1, #text do
    vim.api.nvim_buf_set_lines(0, line, line + 1, false, { text:sub(1, length) })
  end
  t.contains(t.hover('e2e::typed'), 'e2e::typed', 'a hover right after fast typing answers for the last letter')
end)

--- All answers for the node as the command line gives them, by key.
local function all_answers()
  vim.cmd('silent wall')
  local command = { os.getenv('HIERA_LS'), 'lookup', '--all', '--node', run.node, '--root', t.root, '--render-as', 'jsonl' }
  local answers = {}
  local output = vim.system(command, { text = true }):wait().stdout
  for line in vim.gsplit(output, '\n', { trimempty = true }) do
    local answer = vim.json.decode(line)
    answers[answer.key] = line
  end
  return answers
end

t.group('rename', function()
  t.open('hieradata/common/common.yaml')
  local old, new = 'netcfg_mgmt_netmask', 'netcfg_mgmt_mask'
  vim.cmd('silent undo 0')
  vim.cmd('silent wall')
  local before = all_answers()
  local uses = vim.system({ 'grep', '-rohE', "['\"]" .. old .. "['\"]", t.root .. '/hieradata' }, { text = true }):wait().stdout
  local _, count = uses:gsub('\n', '')
  t.check(count >= 50, ('%s is asked for %d times'):format(old, count))
  local place = vim.system({ 'grep', '-rl', '^' .. old .. ':', t.root .. '/hieradata' }, { text = true }):wait().stdout
  t.open(vim.fs.relpath(t.root, vim.split(place, '\n')[1]))
  t.at(old .. ':', 2)
  local began = vim.uv.hrtime()
  local answered
  local params = vim.lsp.util.make_position_params(0, t.client().offset_encoding)
  params.newName = new
  t.client():request('textDocument/rename', params, function(_, edit)
    answered = (vim.uv.hrtime() - began) / 1e6
    vim.lsp.util.apply_workspace_edit(edit, t.client().offset_encoding)
  end, vim.api.nvim_get_current_buf())
  t.eventually('the rename is answered', function()
    return answered ~= nil
  end)
  local after = all_answers()
  local left = vim.system({ 'grep', '-rc', "['\"]" .. old .. "['\"]", t.root .. '/hieradata' }, { text = true }):wait().stdout
  t.check(not left:find(':[1-9]'), ('nobody asks for the old name (%.1f ms to rename)'):format(answered))
  local compared, different = 0, {}
  for key, line in pairs(before) do
    compared = compared + 1
    local now = key == old and after[new] or after[key]
    local wanted = key == old and line:gsub(old, new, 1) or line
    if now ~= wanted then
      different[#different + 1] = key
    end
  end
  t.check(compared > 1000 and #different == 0 and after[old] == nil,
    ('all %d answers are as before: %s'):format(compared, table.concat(different, ' ', 1, math.min(#different, 5))))
end)

t.finish()
