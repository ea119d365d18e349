-- The command `:Hiera`; everything else waits in lua/hiera until it is used.

if vim.g.loaded_hiera then
  return
end
vim.g.loaded_hiera = true

vim.api.nvim_create_user_command('Hiera', function(arguments)
  require('hiera').command(arguments.fargs)
end, {
  nargs = '*',
  desc = 'Values of Hiera: choose the node, show what it gets and why, go through the levels',
  complete = function(lead, line)
    return require('hiera').complete(lead, line)
  end,
})
