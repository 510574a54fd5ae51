// Runs the cases of a client and prints one line of JSON for each: what it tried, and what went wrong.
const url = process.env.RATCHET_BASE_URL
export const access = { apiKey: process.env.RATCHET_API_KEY, baseURL: `${url}/v1` }
export const origin = url
export const prompt = 'How is the weather in Bergen?'
export const wires = ['sim', 'sim-anthropic', 'sim-google', 'sim-bedrock']

/** @param {Record<string, () => Promise<unknown>>} cases each throws, or returns false, when the client does not work */
export async function runCases(cases) {
  for (const [name, run] of Object.entries(cases)) {
    let problem = null
    try {
      if ((await run()) === false) problem = 'another answer than expected'
    } catch (error) {
      problem = `${error?.constructor?.name}: ${String(error?.message ?? error)}`.slice(0, 200)
    }
    console.log(JSON.stringify({ case: name, problem }))
  }
  // Some clients keep connections or timers.
  process.exit(0)
}

/** The same case for each wire, named after it. */
export function onEachWire(name, run) {
  return Object.fromEntries(wires.map((wire) => [`${name} (${wire})`, () => run(wire)]))
}

async function read(path) {
  const response = await fetch(`${access.baseURL}${path}`, { headers: { Authorization: `Bearer ${access.apiKey}` } })
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return response.json()
}

/** The only model call of a trace in the log, with its messages; waits for it. */
export async function keptCall(traceId, timeoutMs = 20_000) {
  const until = Date.now() + timeoutMs
  while (Date.now() < until) {
    const { data } = await read(`/logs?trace_id=${traceId}`)
    if (data.length > 1) throw new Error(`${data.length} entries`)
    if (data.length === 1) return read(`/logs/${data[0].id}`)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  throw new Error('the log has no call of this trace')
}

/** Whether a call came with what was asked and answered, its tokens and how it ended. */
export function isWhole({ messages, response, prompt_tokens: read, completion_tokens: written, finish_reason: end }) {
  const isAnswered = (response.content ?? '').length > 0 || (response.tool_calls ?? []).length > 0
  const isAsked = JSON.stringify(messages.at(-1)).includes(prompt)
  return isAsked && isAnswered && read > 0 && written > 0 && ['stop', 'tool_calls'].includes(end)
}
