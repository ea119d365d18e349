--- Read-only windows beside the text: merged values, explanations, comparisons. They follow what is typed.
local M = {}

local hiera = require('hiera')
local namespace = vim.api.nvim_create_namespace('hiera_preview')

---@class hiera.View
---@field kind string
---@field root string the workspace of the server that was asked
---@field encoding string the unit of its columns
---@field params table what to ask again
---@field answer table the preview that is shown

--- What each preview buffer shows.
---@type table<integer, hiera.View>
local views = {}

--- The server of the preview in the current buffer, if it shows one.
---@return vim.lsp.Client?
function M.client()
  local view = views[vim.api.nvim_get_current_buf()]
  return view
    and vim.iter(vim.lsp.get_clients({ name = 'hiera_ls' })):find(function(client)
      return client.root_dir == view.root
    end)
end

--- Each kind of preview: the request for the server, and the member of its result that contains the document.
local kinds = {
  preview = { method = 'hiera/mergedValue' },
  explain = { method = 'hiera/explain' },
  compare = { method = 'hiera/compare', member = 'diff' },
  ['all-nodes'] = { method = 'hiera/allNodes' },
  changes = { method = 'hiera/changes', none = 'there is no Hiera environment here' },
}

--- The highlight group of a line's kind.
local line_groups = {
  overridden = 'HieraOverridden',
  removed = 'HieraRemoved',
  opaque = 'HieraOpaque',
  error = 'HieraError',
  case = 'HieraCase',
  outlier = 'HieraOutlier',
  more = 'HieraMore',
}

local function define_groups()
  vim.api.nvim_set_hl(0, 'HieraOverridden', { default = true, strikethrough = true, link = nil })
  vim.api.nvim_set_hl(0, 'HieraRemoved', { default = true, strikethrough = true })
  vim.api.nvim_set_hl(0, 'HieraOpaque', { default = true, link = 'DiagnosticWarn' })
  vim.api.nvim_set_hl(0, 'HieraError', { default = true, link = 'DiagnosticError' })
  vim.api.nvim_set_hl(0, 'HieraCase', { default = true, link = 'DiagnosticInfo' })
  vim.api.nvim_set_hl(0, 'HieraOutlier', { default = true, link = 'DiagnosticWarn' })
  vim.api.nvim_set_hl(0, 'HieraMore', { default = true, link = 'Underlined' })
end

local function say(message, level)
  vim.notify('hiera: ' .. message, level or vim.log.levels.INFO)
end

--- After this many milliseconds, a user who waits for a view is told that it will come.
local SLOW_MS = 1000

--- LSP's codes for a request that was ended and not answered: it was cancelled, or its content was modified.
local ended = { [-32800] = true, [-32801] = true }

--- Asks the server; `done` gets the document, or nil and perhaps why there is none. `is_waited_for`: the user sees nothing until
--- the answer is there, and is told if there is none.
local function ask(client, kind, params, done, is_waited_for)
  local is_over, is_told = false, false
  if is_waited_for then
    vim.defer_fn(function()
      if not is_over then
        is_told = true
        say('the server is still working; the view opens when it is done')
      end
    end, SLOW_MS)
  end
  -- The current buffer's number, not 0: only then are changes that wait sent first.
  client:request(kinds[kind].method, params, function(problem, answer)
    is_over = true
    if is_told then
      vim.api.nvim_echo({}, false, {})
    end
    if problem and is_waited_for then
      return say(problem.message, vim.log.levels.ERROR)
    elseif problem then
      return ended[problem.code] or done(nil, problem.message)
    end
    answer = hiera.or_nil(answer)
    done(answer and kinds[kind].member and answer[kinds[kind].member] or answer)
  end, vim.api.nvim_get_current_buf())
end

--- The byte offset in a line of a column in the server's encoding.
local function byte_of(buffer, line, column)
  local text = vim.api.nvim_buf_get_lines(buffer, line, line + 1, false)[1] or ''
  return vim.str_byteindex(text, views[buffer].encoding, column, false)
end

local function decorate(buffer, answer)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  for _, line in ipairs(answer.lines) do
    local origin = hiera.or_nil(line.origin)
    local origin_start = origin and byte_of(buffer, line.line, origin.start)
    local text = vim.api.nvim_buf_get_lines(buffer, line.line, line.line + 1, false)[1] or ''
    if line_groups[line.kind] then
      vim.api.nvim_buf_set_extmark(buffer, namespace, line.line, #text:match('^%s*'), {
        end_col = origin_start or #text,
        hl_group = line_groups[line.kind],
      })
    end
    if origin_start then
      vim.api.nvim_buf_set_extmark(buffer, namespace, line.line, origin_start, {
        end_col = #text,
        hl_group = 'Comment',
        priority = 5000,
      })
    end
  end
end

--- Puts a document into its buffer; where nothing differs, nothing is touched.
local function fill(buffer, answer)
  local lines = vim.split(answer.text, '\n', { plain = true })
  if lines[#lines] == '' then
    lines[#lines] = nil
  end
  if not vim.deep_equal(lines, vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) then
    vim.bo[buffer].modifiable = true
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
    vim.bo[buffer].modifiable = false
  end
  decorate(buffer, answer)
end

--- The window to open sources in: the one the user came from, or any other that shows a file.
local function source_window()
  local candidates = { vim.fn.win_getid(vim.fn.winnr('#')) }
  vim.list_extend(candidates, vim.api.nvim_tabpage_list_wins(0))
  return vim.iter(candidates):find(function(window)
    return window ~= 0
      and vim.bo[vim.api.nvim_win_get_buf(window)].buftype == ''
      and not vim.wo[window].winfixbuf
      and vim.fn.win_gettype(window) == ''
  end)
end

--- Goes to where the line under the cursor comes from; on a line that leaves something out, shows all of it.
function M.jump()
  local view = views[vim.api.nvim_get_current_buf()]
  local number = vim.api.nvim_win_get_cursor(0)[1] - 1
  for _, line in ipairs(view and view.answer.lines or {}) do
    if line.line == number and line.kind == 'more' then
      return M.show(view.kind, vim.tbl_extend('force', view.params, { full = true }))
    end
    if line.line == number and hiera.or_nil(line.location) then
      local window = source_window()
      if window then
        vim.api.nvim_set_current_win(window)
      else
        vim.cmd('aboveleft split')
      end
      return vim.lsp.util.show_document(line.location, view.encoding, {
        reuse_win = false,
        focus = true,
      })
    end
  end
  say('this line does not come from a file', vim.log.levels.WARN)
end

--- A window of the tab page that shows a preview already.
local function preview_window()
  return vim.iter(vim.api.nvim_tabpage_list_wins(0)):find(function(window)
    return views[vim.api.nvim_win_get_buf(window)] ~= nil
  end)
end

--- The buffer that shows this kind of document; a new one if there is none.
local function buffer_for(kind)
  local shown = vim.iter(vim.tbl_keys(views)):find(function(buffer)
    return views[buffer].kind == kind and vim.api.nvim_buf_is_valid(buffer)
  end)
  if shown then
    return shown
  end
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].modifiable = false
  if kind == 'explain' then
    vim.bo[buffer].shiftwidth = 2
  end
  for _, lhs in ipairs({ 'gd', '<CR>', '<C-]>' }) do
    vim.keymap.set('n', lhs, M.jump, { buffer = buffer, desc = 'Go to where this line comes from' })
  end
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = buffer,
    callback = function()
      views[buffer] = nil
    end,
  })
  return buffer
end

--- Shows the buffer in a window of the tab page beside the text. The focus stays where it is.
local function open_window(kind, buffer)
  if vim.fn.bufwinid(buffer) ~= -1 then
    return
  end
  local other = preview_window()
  local window = vim.api.nvim_open_win(buffer, false, {
    split = other and 'below' or 'right',
    win = other or 0,
    style = 'minimal',
  })
  -- Sentences are wrapped; of a line of data, the origin at its end is what can be missed.
  vim.wo[window][0].wrap = kind == 'explain'
  vim.wo[window][0].linebreak = true
  vim.wo[window][0].breakindent = true
  if kind == 'explain' then
    -- The search is a tree of indented lines; it opens unfolded.
    vim.wo[window][0].foldmethod = 'indent'
    vim.wo[window][0].foldlevel = 99
  end
end

--- The request to repeat later: it names the key, because the cursor may move.
local function lasting(params, answer)
  params = vim.deepcopy(params)
  if hiera.or_nil(answer.key) then
    params.key = answer.key
    params.position = nil
  end
  return params
end

--- Shows a preview of this kind; `params` is a question of docs/protocol.md.
function M.show(kind, params)
  local client = hiera.client()
  if not client then
    return say('no server is running here; see :checkhealth hiera', vim.log.levels.ERROR)
  end
  define_groups()
  ask(client, kind, params, function(answer)
    if not answer then
      return say(kinds[kind].none or 'there is no key under the cursor', vim.log.levels.WARN)
    end
    local buffer = buffer_for(kind)
    vim.api.nvim_buf_set_name(buffer, ('hiera://%s/%s'):format(kind, answer.title))
    open_window(kind, buffer)
    views[buffer] = {
      kind = kind,
      root = client.root_dir,
      encoding = client.offset_encoding,
      params = lasting(params, answer),
      answer = answer,
    }
    fill(buffer, answer)
    local language = answer.languageId == 'plaintext' and '' or answer.languageId
    if vim.bo[buffer].filetype ~= language then
      vim.bo[buffer].filetype = language
    end
  end, true)
end

--- Asks again for what is shown of this server: something has changed.
---@param client vim.lsp.Client
function M.refresh(client)
  for buffer, view in pairs(views) do
    if view.root == client.root_dir then
      ask(client, view.kind, view.params, function(answer, why)
        why = why or 'There is nothing to show any more.'
        -- The question stays: the answer may come back.
        answer = answer or { text = ('# %s\n'):format(why), lines = {} }
        if vim.api.nvim_buf_is_valid(buffer) and views[buffer] == view then
          view.answer = answer
          fill(buffer, answer)
        end
      end)
    end
  end
end

--- The question that the cursor asks; in a preview, that about its key.
local function at_cursor()
  local view = views[vim.api.nvim_get_current_buf()]
  if view then
    return { textDocument = view.params.textDocument, key = view.params.key }
  end
  local client = hiera.client()
  return vim.lsp.util.make_position_params(0, client and client.offset_encoding or 'utf-16')
end

--- Compares with another node, or with what is saved.
local function compare(with)
  local params = at_cursor()
  if with == 'saved' then
    params.with = { saved = true }
  else
    params.with = { node = with }
  end
  M.show('compare', params)
end

local function choose_counterpart()
  hiera.nodes(function(nodes)
    local choices = { 'saved' }
    for _, node in ipairs(nodes) do
      if not node.active then
        table.insert(choices, node.name)
      end
    end
    vim.ui.select(choices, { prompt = 'Compare with' }, function(choice)
      if choice then
        compare(choice)
      end
    end)
  end)
end

--- Lets the user choose one of the cases of the key that is under the cursor or, in a preview, is shown there.
function M.pick_case()
  hiera.pick_case(at_cursor())
end

--- `:Hiera preview|explain|compare|all-nodes|changes`
---@param kind string
---@param argument? string
function M.command(kind, argument)
  if kind == 'compare' then
    if argument then
      return compare(argument)
    end
    return choose_counterpart()
  end
  local params = at_cursor()
  if kind == 'changes' then
    -- About everything that is edited, and not about the key under the cursor.
    params.position, params.key = nil, nil
    params.documentOnly = true
    if argument then
      params.with = argument == 'saved' and { saved = true } or { revision = argument }
    end
    return M.show(kind, params)
  end
  if kind == 'preview' and argument then
    if not vim.list_contains({ 'key', 'file', 'node' }, argument) then
      return say('`:Hiera preview` takes key, file or node', vim.log.levels.ERROR)
    end
    params.scope = argument
  end
  M.show(kind, params)
end

return M
