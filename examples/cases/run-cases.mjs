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
