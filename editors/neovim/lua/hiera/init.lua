--- The command `:Hiera` and what it is made of.
local M = {}

--- Milliseconds to wait for the server's answer to a question that holds the editor up (completion).
local ANSWER_TIMEOUT = 1000

---@class hiera.Node
---@field name string
---@field origin string where its facts come from
---@field environment? string
---@field facts? {name: string, value: string}[] the variables that the hierarchy's paths use
---@field active boolean

--- The server of this buffer; of any other buffer if this one has none.
---@return vim.lsp.Client?
function M.client()
  return vim.lsp.get_clients({ name = 'hiera_ls', bufnr = 0 })[1] or vim.lsp.get_clients({ name = 'hiera_ls' })[1]
end

local function say(message, level)
  vim.notify('hiera: ' .. message, level or vim.log.levels.INFO)
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
    done(answer)
  end)
end

--- The nodes that the server knows, for `done`.
---@param done fun(nodes: hiera.Node[])
function M.nodes(done)
  ask('hiera/nodes', nil, done)
end

--- Shows the values of this node from now on; without a name, each file for a node that reads it.
---@param name? string
---@param done? fun()
function M.select_node(name, done)
  ask('hiera/selectNode', { name = name or vim.NIL }, function()
    say(name and 'showing the values of ' .. name or 'showing each file for a node that reads it')
    if done then
      done()
    end
  end)
end

--- A node in a line: whether it is active, its name, and the facts that the hierarchy asks for, else where it comes from.
---@param node hiera.Node
---@return string
function M.describe(node)
  local facts = vim.tbl_map(function(fact)
    local name = fact.name:gsub('^:*', ''):gsub('^trusted%.extensions%.', ''):gsub('^facts%.', '')
    return ('%s: %s'):format(name, fact.value)
  end, node.facts or {})
  local more = #facts > 0 and table.concat(facts, ', ') or M.origin(node)
  return ('%s %s (%s)'):format(node.active and '*' or ' ', node.name, more)
end

--- Where a node comes from: the path of its fact set, short, or `inferred`.
---@param node hiera.Node
---@return string
function M.origin(node)
  return vim.fn.fnamemodify(node.origin, ':~:.')
end

--- Lets the user choose a node.
function M.choose_node()
  M.nodes(function(nodes)
    if #nodes == 0 then
      return say('no node is known: add fact sets, see :help hiera-nodes', vim.log.levels.WARN)
    end
    local automatic = {}
    vim.ui.select(vim.list_extend({ automatic }, nodes), {
      prompt = 'Node',
      format_item = function(node)
        return node == automatic and '  automatic (for each file, a node that reads it)' or M.describe(node)
      end,
    }, function(node)
      if node then
        M.select_node(node.name)
      end
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

--- A subcommand that shows a preview.
local function preview(kind, complete)
  return {
    run = function(arguments)
      require('hiera.preview').command(kind, arguments[1])
    end,
    complete = complete or function()
      return {}
    end,
  }
end

--- Goes to the same key in the next level of higher (`hiera/levelUp`) or lower priority (`hiera/levelDown`).
---@param method 'hiera/levelUp'|'hiera/levelDown'
local function jump(method)
  local client = vim.lsp.get_clients({ name = 'hiera_ls', bufnr = 0 })[1]
  local params = client and vim.lsp.util.make_position_params(0, client.offset_encoding)
  ask(method, params, function(location)
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

--- Each subcommand of `:Hiera`: what it does with its arguments, and what completes them.
local subcommands = {
  down = {
    run = M.level_down,
    complete = function()
      return {}
    end,
  },
  up = {
    run = M.level_up,
    complete = function()
      return {}
    end,
  },
  node = {
    run = function(arguments)
      if arguments[1] then
        M.select_node(arguments[1])
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
  compare = preview('compare', function()
    return vim.list_extend({ 'saved' }, node_names())
  end),
  ['all-nodes'] = preview('all-nodes'),
}

local function subcommand_names()
  local names = vim.tbl_keys(subcommands)
  table.sort(names)
  return names
end

---@param arguments string[]
function M.command(arguments)
  local subcommand = subcommands[arguments[1]]
  if subcommand then
    return subcommand.run(vim.list_slice(arguments, 2))
  end
  local names = table.concat(subcommand_names(), ', ')
  if arguments[1] then
    return say(('there is no `:Hiera %s`, but: %s'):format(arguments[1], names), vim.log.levels.ERROR)
  end
  say(':Hiera takes one of: ' .. names)
end

---@param lead string what is typed of the word
---@param line string the command line up to the cursor
---@return string[]
function M.complete(lead, line)
  local name = line:match('^%s*%S+%s+(%S+)%s')
  local candidates
  if name then
    candidates = subcommands[name] and subcommands[name].complete() or {}
  else
    candidates = subcommand_names()
  end
  return vim.tbl_filter(function(candidate)
    return vim.startswith(candidate, lead)
  end, candidates)
end

return M
