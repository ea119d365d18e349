-- Beside yaml-language-server, in the same buffers: both answer, and with `coexistWithYamlLanguageServer` nothing is said twice.
package.path = debug.getinfo(1, 'S').source:match('^@(.*)/') .. '/?.lua;' .. package.path
local t = require('harness')

local schema = t.root .. '/harbour.schema.json'
vim.fn.writefile({ vim.json.encode({
  type = 'object',
  properties = { ['company::domain'] = { type = 'string', description = 'Told by the schema' } },
}) }, schema)

vim.lsp.config('yamlls', {
  cmd = { 'node', assert(os.getenv('YAML_LANGUAGE_SERVER')), '--stdio' },
  filetypes = { 'yaml' },
  root_markers = { '.hiera-ls.yaml' },
  settings = {
    yaml = {
      format = { enable = true },
      schemaStore = { enable = false, url = '' },
      schemas = { ['file://' .. schema] = 'data/common.yaml' },
    },
    redhat = { telemetry = { enabled = false } },
  },
})
t.setup()
vim.lsp.enable('yamlls')

--- Who says something about the buffer, and how often: diagnostics whose message has `part`, by the name of the client.
local function sayers(part)
  local counts = {}
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = 0 })) do
    local count = 0
    for _, is_pull in ipairs({ false, true }) do
      local namespace = vim.lsp.diagnostic.get_namespace(client.id, is_pull)
      for _, diagnostic in ipairs(vim.diagnostic.get(0, { namespace = namespace })) do
        if diagnostic.message:lower():find(part, 1, true) then
          count = count + 1
        end
      end
    end
    counts[client.name] = count
  end
  return counts
end

local function append(line)
  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_buf_set_lines(0, last, last, false, { line })
end

t.group('start', function()
  t.open('data/common.yaml')
  t.eventually('both servers attach', function()
    local others = vim.lsp.get_clients({ name = 'yamlls', bufnr = 0 })
    return #others == 1 and others[1].initialized and t.client() ~= nil
    -- A machine that is busy takes its time to start a program of Node.
  end, 60000)
end)

t.group('hover', function()
  t.eventually('K shows what the schema says', function()
    return (t.hover_window('company::domain: ') or ''):find('Told by the schema', 1, true) ~= nil
  end)
  t.contains(t.hover_window('company::domain: '), 'for node `web01.kittiwake.example`', 'and what Puppet answers')
end)

t.group('definition', function()
  local path, line = t.definition("lookup('company::domain')", 10)
  t.check(path == 'data/common.yaml', 'a token leads to its key: ' .. tostring(path))
  t.contains(line, 'company::domain: kittiwake', 'and to its line')
end)

t.group('diagnostics', function()
  append('company::domain: again')
  t.eventually('of itself, each says that a key is there twice', function()
    local counts = sayers('unique')
    return (counts.yamlls or 0) > 0 and t.has_code('duplicate-key')
  end)
  -- As a user's setup would have it, but while the server runs.
  t.client().settings = { hiera = { coexistWithYamlLanguageServer = true } }
  t.client():notify('workspace/didChangeConfiguration', { settings = t.client().settings })
  t.eventually('with coexistWithYamlLanguageServer, only the other does', function()
    return (sayers('unique').yamlls or 0) > 0 and not t.has_code('duplicate-key')
  end)
  vim.cmd('silent undo')

  t.replace_line('company::name: ', "company::name: \"%{lokup('x')}\"")
  t.eventually('what only we know is still said', function()
    return t.has_code('unknown-function')
  end)
  vim.cmd('silent undo')
  t.eventually_clean('and nothing is wrong with the sample')
end)

t.group('formatting', function()
  t.replace_line('company::name: ', 'company::name:    Kittiwake Ferries')
  vim.lsp.buf.format({ timeout_ms = 5000 })
  t.check(vim.fn.search('^company::name: Kittiwake', 'nw') > 0, 'formatting is done by the other')
end)

t.finish()
