-- Starts hiera-ls in Hiera repositories only: `vim.lsp.enable('hiera_ls')`.

--- The workspace of a file: the directory of the project file, or else the outermost directory with Hiera data. A module has a
--- hiera.yaml of its own, but belongs to the environment around it.
---@param path string
---@return string?
local function workspace(path)
  local project = vim.fs.root(path, '.hiera-ls.yaml')
  if project then
    return project
  end
  local found = vim.fs.find({ 'hiera.yaml', 'environment.conf' }, {
    path = vim.fs.dirname(path),
    upward = true,
    type = 'file',
    limit = math.huge,
  })
  return found[#found] and vim.fs.dirname(found[#found])
end

--- The commands of code lenses, by the kind of preview that each shows.
local commands = {
  ['hiera.preview'] = 'preview',
  ['hiera.explain'] = 'explain',
  ['hiera.allNodes'] = 'all-nodes',
  ['hiera.changes'] = 'changes',
}

--- What LSP's own capabilities have no word for.
local function capabilities()
  local all = vim.lsp.protocol.make_client_capabilities()
  all.experimental = {
    commands = { commands = vim.tbl_keys(commands) },
    previewChanged = true,
  }
  return all
end

--- Neovim 0.11 pulls diagnostics, but does not pull again when an edit in another file changes them. So the server pushes them.
---@param params lsp.InitializeParams
local function be_told(params)
  local capabilities = params.capabilities
  if not vim.tbl_get(capabilities, 'workspace', 'diagnostics', 'refreshSupport') then
    capabilities.textDocument.diagnostic = nil
  end
end

for command, kind in pairs(commands) do
  vim.lsp.commands[command] = function(lens)
    require('hiera.preview').show(kind, lens.arguments[1])
  end
end

---@type vim.lsp.Config
return {
  capabilities = capabilities(),
  before_init = be_told,
  handlers = {
    ['hiera/previewChanged'] = function(_, _, context)
      require('hiera').answers_changed()
      require('hiera.preview').refresh(assert(vim.lsp.get_client_by_id(context.client_id)))
    end,
    -- Previews request their values again by themselves; only the status line must be redrawn.
    ['hiera/activeNode'] = function()
      require('hiera').answers_changed()
    end,
  },
  cmd = { 'hiera-ls', 'server' },
  -- Puppet code has its own servers; this one only says what parameters and lookups get.
  filetypes = { 'yaml', 'json', 'eyaml', 'yaml.hiera', 'puppet', 'epuppet' },
  -- Files without a workspace have nothing to do with Hiera: no server is started for them.
  root_dir = function(buffer, start)
    local root = workspace(vim.api.nvim_buf_get_name(buffer))
    if root then
      start(root)
    end
  end,
}
