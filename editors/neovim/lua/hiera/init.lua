--- The command `:Hiera` and what it is made of.
local M = {}

--- Milliseconds to wait for a response that blocks the editor (completion).
local ANSWER_TIMEOUT = 1000

---@class hiera.Node
---@field name string
---@field origin string the path of the fact set; `name` if only the name is known, `any` if it is not a single machine
---@field environment? string
---@field facts? {name: string, value: string}[] the variables that the hierarchy's paths use
---@field active boolean

---@class hiera.ActiveNode : hiera.Node
---@field chosen boolean whether it was chosen; else a file is shown for any node that reads it
---@field open? string[] the variables that the hierarchy's paths use and that are not known
---@field assumed? {name: string, value: string}[]

---@class hiera.Case
---@field when string the condition, for people; `otherwise` for the last case
---@field variables table<string, string> the same by variable; one that is not set may be missing
---@field canBeAssumed boolean whether each variable has a text
---@field value string the value on one line

--- The server of this buffer, or of the preview that it shows; of any other buffer if this one has none.
---@return vim.lsp.Client?
function M.client()
  return vim.lsp.get_clients({ name = 'hiera_ls', bufnr = 0 })[1]
    or require('hiera.preview').client()
    or vim.lsp.get_clients({ name = 'hiera_ls' })[1]
end

local function say(message, level)
  vim.notify('hiera: ' .. message, level or vim.log.levels.INFO)
end

--- A value of an answer, or nil where JSON has null: Neovim 0.11 leaves out such members of objects, later ones have `vim.NIL`.
function M.or_nil(value)
  if value ~= vim.NIL then
    return value
  end
end

--- Asks the server and hands its answer to `done`; complains where there is none.
local function ask(method, params, done)
  local client = M.client()
  if not client then
    return say('no server is running here; see :checkhealth hiera', vim.log.levels.ERROR)
  end
  client:request(method, params, function(problem, answer)
    if problem then
      return say(problem.message, vim.log.levels.ERROR)
    end
    done(M.or_nil(answer))
  end)
end

--- The nodes that the server knows, for `done`.
---@param done fun(nodes: hiera.Node[])
function M.nodes(done)
  ask('hiera/nodes', nil, done)
end

--- Shows values for this node from now on; without a name, values for any node that reads the file.
---@param name? string
---@param done? fun()
function M.select_node(name, done)
  ask('hiera/selectNode', { name = name or vim.NIL }, function()
    say(name and 'showing the values of ' .. name or 'showing values for any node that reads the file')
    if done then
      done()
    end
  end)
end

--- A variable without its prefix, which goes without saying: `pp_role`, `os.name`.
local function short_name(name)
  return (name:gsub('^:*', ''):gsub('^trusted%.extensions%.', ''):gsub('^trusted%.', ''):gsub('^facts%.', ''))
end

--- Describes a node in one line: whether it is active, its name, and the facts that the hierarchy uses, or else its origin.
---@param node hiera.Node
---@return string
function M.describe(node)
  local facts = vim.tbl_map(function(fact)
    return ('%s: %s'):format(short_name(fact.name), fact.value)
  end, node.facts or {})
  local more = #facts > 0 and table.concat(facts, ', ') or M.origin(node)
  return ('%s %s (%s)'):format(node.active and '*' or ' ', node.name, more)
end

--- Where a node comes from: the path of its fact set, short, or that there is none.
---@param node hiera.Node
---@return string
function M.origin(node)
  if node.origin == 'name' then
    return 'only its name is known'
  elseif node.origin == 'any' then
    return 'no single machine'
  end
  return vim.fn.fnamemodify(node.origin, ':~:.')
end

--- Lets the user choose a node.
function M.choose_node()
  M.nodes(function(nodes)
    if #nodes == 0 then
      return say('no node is known: add fact sets, see :help hiera-nodes', vim.log.levels.WARN)
    end
    local any_node = {}
    vim.ui.select(vim.list_extend({ any_node }, nodes), {
      prompt = 'Node',
      format_item = function(node)
        return node == any_node and '  any node (values for any node that reads the file)' or M.describe(node)
      end,
    }, function(node)
      if node then
        M.select_node(node.name)
      end
    end)
  end)
end

--- What each buffer is shown for, and which change of the server that answer is older than.
---@type table<integer, {node?: hiera.ActiveNode, revision: integer}>
local shown_for = {}

--- The edited keys of each buffer: the time of the last request, and its result.
local edited = {}

--- Counts what may change answers: edits, the choice of another node, and fact sets that come and go.
local revision = 0

--- Requests what status lines show of all windows again.
function M.answers_changed()
  revision = revision + 1
  if next(shown_for) or next(edited) then
    vim.cmd.redrawstatus({ bang = true })
  end
end

--- Which node the values of a buffer are for; asks the server where that may have changed, and says what was true before.
---@param buffer integer
---@return hiera.ActiveNode?
local function node_of(buffer)
  local client = vim.lsp.get_clients({ name = 'hiera_ls', bufnr = buffer })[1]
  if not client or not client.initialized then
    shown_for[buffer] = nil
    return nil
  end
  local known = shown_for[buffer]
  if not known or known.revision < revision then
    known = { node = known and known.node, revision = revision }
    shown_for[buffer] = known
    local document = { textDocument = { uri = vim.uri_from_bufnr(buffer) } }
    client:request('hiera/nodeOf', document, function(problem, node)
      if not problem and shown_for[buffer] == known then
        known.node = M.or_nil(node)
        vim.cmd.redrawstatus({ bang = true })
      end
    end, buffer)
  end
  return known.node
end

--- What is known of a variable: `role is web`, `site is empty`.
local function in_words(name, value)
  return ('%s is %s'):format(name, value == '' and 'empty' or value)
end

--- Which node the values of a buffer are for, and how many facts are open, for a status line: `any node · 3 facts open`.
--- Empty where no server runs.
---@param buffer? integer the current one if it is left out
---@return string
function M.status(buffer)
  local node = node_of((buffer == nil or buffer == 0) and vim.api.nvim_get_current_buf() or buffer)
  if not node then
    return ''
  end
  local parts = { (node.name:gsub('^any node where ', 'any node · '):gsub('[%w_.:]+ is ', short_name)) }
  for _, assumed in ipairs(node.assumed or {}) do
    if not node.name:find(in_words(assumed.name, assumed.value), 1, true) then
      parts[#parts + 1] = in_words(short_name(assumed.name), assumed.value)
    end
  end
  local open = #(node.open or {})
  if open > 0 then
    parts[#parts + 1] = ('%d %s open'):format(open, open == 1 and 'fact' or 'facts')
  end
  return table.concat(parts, ' · ')
end

local function ask_for_edited(buffer, known, moment)
  local client = vim.lsp.get_clients({ bufnr = buffer, name = 'hiera_ls' })[1]
  local hiera = client and vim.tbl_get(client.server_capabilities, 'experimental', 'hiera') or {}
  if not client or not vim.list_contains(hiera.requests or {}, 'hiera/editedKeys') then
    return
  end
  known.is_asking = true
  local params = { textDocument = { uri = vim.uri_from_bufnr(buffer) } }
  client:request('hiera/editedKeys', params, function(problem, keys)
    known.is_asking = false
    -- If something was edited meanwhile, the next redraw of the status line requests it again.
    if not problem then
      known.moment = moment
      known.keys = M.or_nil(keys) or {}
    end
    vim.cmd.redrawstatus({ bang = true })
  end, buffer)
end

--- What the edit of the key under the cursor changes, for a status line: `changes 66 of 622 nodes`. Empty where nothing is
--- edited, or no server runs.
---@return string
function M.edited()
  local buffer = vim.api.nvim_get_current_buf()
  local known = edited[buffer] or { keys = {} }
  edited[buffer] = known
  local tick = vim.api.nvim_buf_get_changedtick(buffer)
  local moment = ('%d %s %d'):format(tick, vim.bo[buffer].modified, revision)
  if known.moment ~= moment and not known.is_asking then
    ask_for_edited(buffer, known, moment)
  end
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  for _, key in ipairs(known.keys) do
    if key.range.start.line <= line and line <= key.range['end'].line then
      return key.title
    end
  end
  return ''
end

--- Assumes that nodes have these values for these variables; without variables, drops all assumptions.
---@param variables table<string, string>
local function assume(variables)
  local params = { variables = next(variables) and variables or vim.empty_dict() }
  ask('hiera/assume', params, function(node)
    local texts = vim.tbl_map(function(assumed)
      return in_words(assumed.name, assumed.value)
    end, node and node.assumed or {})
    say(#texts > 0 and 'assuming that ' .. table.concat(texts, ' and ') or 'nothing is assumed')
  end)
end

--- Drops all assumptions.
function M.forget()
  assume({})
end

--- What the variables of a case are, added to what is assumed already.
---@param case hiera.Case
---@param assumed {name: string, value: string}[]
---@return table<string, string>
local function texts_of(case, assumed)
  local texts = {}
  for _, variable in ipairs(assumed) do
    texts[variable.name] = variable.value
  end
  return vim.tbl_extend('force', texts, case.variables)
end

--- Lets the user choose one of the cases of a key, and assumes it.
---@param question table a question of docs/protocol.md
function M.pick_case(question)
  local document = { textDocument = question.textDocument }
  ask('hiera/cases', question, function(cases)
    if not cases then
      return say('there is no key under the cursor', vim.log.levels.WARN)
    end
    if #cases == 0 then
      return say('there are no cases: the value does not depend on open facts')
    end
    vim.ui.select(cases, {
      prompt = 'Which case do you want to assume?',
      format_item = function(case)
        return ('%s: %s'):format(case.when, case.value)
      end,
    }, function(case)
      if not case then
        return
      end
      if not case.canBeAssumed then
        local why = 'it does not give each variable a value'
        return say(('"%s" cannot be assumed: %s'):format(case.when, why), vim.log.levels.WARN)
      end
      ask('hiera/nodeOf', document, function(node)
        assume(texts_of(case, node and node.assumed or {}))
      end)
    end)
  end)
end

local function node_names()
  local client = M.client()
  local answer = client and client:request_sync('hiera/nodes', nil, ANSWER_TIMEOUT)
  return vim.tbl_map(function(node)
    return node.name
  end, answer and answer.result or {})
end

local function no_arguments()
  return {}
end

--- A subcommand that shows a preview.
local function preview(kind, complete)
  return {
    run = function(argument)
      require('hiera.preview').command(kind, argument)
    end,
    complete = complete or no_arguments,
  }
end

--- Goes to the same key in the next level of higher (`hiera/levelUp`) or lower priority (`hiera/levelDown`).
---@param method 'hiera/levelUp'|'hiera/levelDown'
local function jump(method)
  local client = vim.lsp.get_clients({ name = 'hiera_ls', bufnr = 0 })[1]
  if not client then
    return say('this is not a file with Hiera data', vim.log.levels.WARN)
  end
  ask(method, vim.lsp.util.make_position_params(0, client.offset_encoding), function(location)
    if not location then
      return say(method == 'hiera/levelUp' and 'no level above has this key' or 'no level below has this key')
    end
    vim.lsp.util.show_document(location, client.offset_encoding, { focus = true })
  end)
end

--- Goes to what overrides the key under the cursor.
function M.level_up()
  jump('hiera/levelUp')
end

--- Goes to what the key under the cursor overrides.
function M.level_down()
  jump('hiera/levelDown')
end

--- Each subcommand of `:Hiera`: what it does with its argument, and what completes it.
local subcommands = {
  down = {
    run = M.level_down,
    complete = no_arguments,
  },
  up = {
    run = M.level_up,
    complete = no_arguments,
  },
  node = {
    run = function(name)
      if name then
        M.select_node(name)
      else
        M.choose_node()
      end
    end,
    complete = node_names,
  },
  preview = preview('preview', function()
    return { 'file', 'key', 'node' }
  end),
  explain = preview('explain'),
  case = {
    run = function()
      require('hiera.preview').pick_case()
    end,
    complete = no_arguments,
  },
  ['case!'] = { run = M.forget, complete = no_arguments },
  forget = { run = M.forget, complete = no_arguments },
  compare = preview('compare', function()
    return vim.list_extend({ 'saved' }, node_names())
  end),
  ['all-nodes'] = preview('all-nodes'),
  changes = preview('changes', function()
    return { 'saved', 'HEAD' }
  end),
}

local function subcommand_names()
  local names = vim.tbl_keys(subcommands)
  table.sort(names)
  return names
end

--- What a subcommand takes is one argument, also if it has blanks: names of nodes and revisions can have them.
---@param words string[]
function M.command(words)
  local name = words[1]
  if subcommands[name] then
    return subcommands[name].run(words[2] and table.concat(words, ' ', 2))
  end
  local names = table.concat(subcommand_names(), ', ')
  if name then
    return say(('there is no `:Hiera %s`; there are: %s'):format(name, names), vim.log.levels.ERROR)
  end
  say(':Hiera takes one of: ' .. names)
end

---@param lead string what is typed of the last word
---@param line string the command line up to the cursor
---@return string[]
function M.complete(lead, line)
  local name, argument = line:match('^%s*%S+%s+(%S+)%s+(.*)$')
  local candidates, typed
  if name then
    candidates, typed = subcommands[name] and subcommands[name].complete() or {}, argument
  else
    candidates, typed = subcommand_names(), lead
  end
  -- Neovim replaces the last word only. It takes blanks for a part of it that have a backslash before them.
  local start = typed:sub(1, #typed - #lead):gsub('\\ ', ' ')
  local rest = lead:gsub('\\ ', ' ')
  return vim
    .iter(candidates)
    :filter(function(candidate)
      return vim.startswith(candidate, start .. rest)
    end)
    :map(function(candidate)
      return candidate:sub(#start + 1)
    end)
    :totable()
end

return M
