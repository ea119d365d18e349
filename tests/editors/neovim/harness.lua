--- What the suites share: checks that count, waits that end, and an editor with hiera-ls in it.
local M = {
  root = assert(os.getenv('HIERA_ROOT'), 'HIERA_ROOT: the workspace'),
  passed = 0,
  failed = 0,
  --- Milliseconds until a wait gives up: far more than any answer takes.
  patience = 10000,
}


local function report(ok, message)
  if ok then
    M.passed = M.passed + 1
    io.stdout:write('ok   ' .. message .. '\n')
  else
    M.failed = M.failed + 1
    io.stdout:write('FAIL ' .. message .. '\n')
  end
  return ok
end

function M.check(condition, message)
  return report(condition and true or false, message)
end

--- Checks that `text` has `part` in it, as it is.
function M.contains(text, part, message)
  local ok = type(text) == 'string' and text:find(part, 1, true) ~= nil
  return report(ok, ok and message or ('%s: no %q in %s'):format(message, part, vim.inspect(text)))
end

--- Checks that `condition` comes true before patience ends.
---@param patience? integer milliseconds; without it, the usual
function M.eventually(message, condition, patience)
  return report(vim.wait(patience or M.patience, condition, 10), message)
end

--- Runs a group of checks; an error in it is a failed check, not the end.
function M.group(name, body)
  local ok, problem = xpcall(body, debug.traceback)
  if not ok then
    report(false, name .. ': ' .. tostring(problem))
  end
end

--- Sets up the plugin as a user would.
function M.setup()
  vim.opt.runtimepath:append(assert(os.getenv('HIERA_PLUGIN')))
  vim.cmd('runtime plugin/hiera.lua')
  vim.cmd('filetype plugin on')
  vim.o.swapfile = false
  vim.o.hidden = true
  vim.lsp.config('hiera_ls', { cmd = { assert(os.getenv('HIERA_LS')), 'server' } })
  vim.lsp.enable('hiera_ls')
end

--- Opens a file of the workspace and waits for the server.
function M.open(path)
  local file = M.root .. '/' .. path
  if vim.api.nvim_buf_get_name(0) ~= file then
    vim.cmd.edit(file)
  end
  local attached = vim.wait(M.patience, function()
    local client = M.client()
    return client ~= nil and client.initialized
  end, 10)
  if not attached then
    error('no server in ' .. path)
  end
end

function M.client()
  return vim.lsp.get_clients({ name = 'hiera_ls', bufnr = 0 })[1]
end

--- Puts the cursor on the first place in the buffer that has `part`, `offset` bytes into it.
function M.at(part, offset)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local column = line:find(part, 1, true)
    if column then
      vim.api.nvim_win_set_cursor(0, { number, column - 1 + (offset or 0) })
      return number
    end
  end
  error(('no %q in %s'):format(part, vim.api.nvim_buf_get_name(0)))
end

--- The result of a request at the cursor.
function M.request(method, extra)
  local client = M.client()
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  params = vim.tbl_extend('force', params, extra or {})
  -- The buffer's number, not 0: only then are changes that wait sent first.
  local answer, problem = client:request_sync(method, params, M.patience, vim.api.nvim_get_current_buf())
  if problem or not answer or answer.err then
    error(('%s: %s'):format(method, vim.inspect(problem or answer and answer.err)))
  end
  return answer.result
end

--- The text of the hover at the first `part`, or nil.
function M.hover(part, offset)
  M.at(part, offset)
  local result = M.request('textDocument/hover')
  return result and result.contents and result.contents.value
end

--- The text of the window that `K` opens at the first `part`.
function M.hover_window(part, offset)
  M.at(part, offset)
  vim.lsp.buf.hover()
  local float
  vim.wait(M.patience, function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= '' then
        float = window
      end
    end
    return float ~= nil
  end, 10)
  if not float then
    return nil
  end
  local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(float), 0, -1, false)
  vim.api.nvim_win_close(float, true)
  return table.concat(lines, '\n')
end

--- Replaces the text of the first `part`'s line.
function M.replace_line(part, text)
  local number = M.at(part)
  vim.api.nvim_buf_set_lines(0, number - 1, number, false, text and { text } or {})
end

--- The text of a file of the workspace as Neovim has it, shown or not; nil if it has not read it.
function M.changed_text(path)
  local buffer = vim.fn.bufnr(M.root .. '/' .. path)
  if buffer < 0 then
    return nil
  end
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
end

--- The codes of the buffer's diagnostics, sorted.
function M.codes()
  local codes = vim.tbl_map(function(diagnostic)
    return tostring(diagnostic.code)
  end, vim.diagnostic.get(0))
  table.sort(codes)
  return codes
end

function M.has_code(code)
  return vim.tbl_contains(M.codes(), code)
end

--- Waits until the buffer has no diagnostics at all.
function M.eventually_clean(message)
  if not M.eventually(message, function()
    return #vim.diagnostic.get(0) == 0
  end) then
    io.stdout:write('     ' .. vim.inspect(M.codes()) .. '\n')
  end
end

--- Goes to the definition at the first `part` and says where that is: path below the workspace and line's text.
function M.definition(part, offset)
  M.at(part, offset)
  local window_before = vim.api.nvim_get_current_win()
  local before = { vim.api.nvim_buf_get_name(0), vim.api.nvim_win_get_cursor(window_before)[1] }
  vim.lsp.buf.definition()
  vim.wait(M.patience, function()
    return vim.api.nvim_buf_get_name(0) ~= before[1] or vim.api.nvim_win_get_cursor(0)[1] ~= before[2]
  end, 10)
  vim.cmd('silent! cclose')
  local path = vim.fs.relpath(M.root, vim.api.nvim_buf_get_name(0))
  return path, vim.api.nvim_get_current_line()
end

--- The text of the window that shows this kind of preview, and the window.
function M.preview_of(kind)
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local buffer = vim.api.nvim_win_get_buf(window)
    if vim.startswith(vim.api.nvim_buf_get_name(buffer), 'hiera://' .. kind .. '/') then
      return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n'), window
    end
  end
end

--- Waits until a preview of this kind shows `part`.
function M.shows(kind, part, message)
  M.eventually(message, function()
    local text = M.preview_of(kind)
    return text ~= nil and text:find(part, 1, true) ~= nil
  end)
end

--- Stops the servers, closes all windows but one, and forgets all files.
function M.stop()
  for _, client in ipairs(vim.lsp.get_clients({ name = 'hiera_ls' })) do
    client:stop()
    M.eventually('the server stops when asked to', function()
      return client:is_stopped()
    end)
  end
  vim.cmd('silent tabonly | silent only | silent %bwipeout!')
end

--- Stops the servers, sums up and ends.
---@param servers? integer how many there are; one if it is left out
function M.finish(servers)
  M.group('the end', function()
    local count = #vim.lsp.get_clients({ name = 'hiera_ls' })
    M.check(count == (servers or 1), ('servers at the end: %d'):format(count))
    M.stop()
  end)
  io.stdout:write(('%d passed, %d failed\n'):format(M.passed, M.failed))
  os.exit(M.failed == 0 and 0 or 1)
end

return M
