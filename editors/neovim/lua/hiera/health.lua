--- `:checkhealth hiera`: is everything there that the server needs?
local M = {}

local function check_editor()
  if vim.fn.has('nvim-0.11') == 1 then
    local version = vim.version()
    vim.health.ok(('Neovim %d.%d.%d'):format(version.major, version.minor, version.patch))
  else
    vim.health.error('Neovim is older than 0.11', 'Install Neovim 0.11 or newer')
  end
end

local function check_program()
  local command = vim.lsp.config.hiera_ls.cmd
  local program = type(command) == 'table' and command[1]
  if not program then
    return vim.health.info('`cmd` is a function, not a program')
  end
  if vim.fn.executable(program) == 0 then
    return vim.health.error(
      '`' .. program .. '` is not in PATH',
      "Install it, or name it: vim.lsp.config('hiera_ls', { cmd = { '/path/to/hiera-ls', 'server' } })"
    )
  end
  local answer = vim.system({ program, '--version' }, { text = true }):wait()
  vim.health.ok(vim.trim(answer.stdout or '') .. ' (' .. vim.fn.exepath(program) .. ')')
end

local function check_server()
  if not vim.lsp.is_enabled('hiera_ls') then
    return vim.health.warn('The server is not enabled', "Call vim.lsp.enable('hiera_ls')")
  end
  local clients = vim.lsp.get_clients({ name = 'hiera_ls' })
  if #clients == 0 then
    return vim.health.info(
      'The server is enabled and starts in a directory with a hiera.yaml or .hiera-ls.yaml when a YAML, JSON or Puppet file is opened'
    )
  end
  for _, client in ipairs(clients) do
    vim.health.ok('A server runs in ' .. tostring(client.root_dir))
    local answer = client:request_sync('hiera/nodes', nil, 2000)
    local nodes = answer and answer.result
    if not nodes then
      vim.health.error('It does not answer')
    elseif #nodes == 0 then
      vim.health.warn('The server knows no nodes', 'Add fact sets, see :help hiera-nodes')
    else
      for _, node in ipairs(nodes) do
        local state = node.active and 'the active node, ' or ''
        vim.health.info(('%s (%s%s)'):format(node.name, state, require('hiera').origin(node)))
      end
    end
  end
end

function M.check()
  vim.health.start('hiera')
  check_editor()
  check_program()
  check_server()
end

return M
