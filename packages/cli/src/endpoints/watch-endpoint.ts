import { type DedicatedEndpoint, getDedicatedEndpoint } from '@ratchet/contracts/dedicated'
import { type Answer, formatTable } from '../answer.ts'
import type { Api, Reply } from '../api/api-client.ts'
import type { ApiDeps } from '../api/api-commands.ts'
import { createProgressDisplay } from '../api/progress-display.ts'
import { watchUntil } from '../api/watch-until.ts'
import { inUsd } from '../text/in-words.ts'
import { printable } from '../text/printable.ts'

/** States that an endpoint keeps until something happens. */
const settled: ReadonlySet<DedicatedEndpoint['state']> = new Set([
  'RUNNING',
  'SCALED_TO_ZERO',
  'STOPPED',
  'FAILED',
  'DELETED',
])

/**
 * Shows the states of an endpoint until it runs, sleeps or has stopped. Ctrl-C ends the display, not the endpoint.
 *
 * @returns null after an interruption, for which a message was printed
 */
export async function settledAnswer(
  { io }: ApiDeps,
  api: Api,
  first: Reply<DedicatedEndpoint>,
): Promise<Answer | null> {
  const { id } = first.value
  const last = await watchUntil<DedicatedEndpoint>(io, {
    first,
    read: (options) => api.call(getDedicatedEndpoint, { params: { id } }, options),
    isOver: ({ state }) => settled.has(state),
    display: createProgressDisplay<DedicatedEndpoint>(io, {
      doneOf: readyOf,
      isWaiting: ({ state }) => state === 'PENDING',
      textOf: (endpoint) => `${endpoint.state}, ${readyOf(endpoint)} ready, ${inUsd(endpoint.spend.total_usd)}`,
    }),
    interrupted: `Interrupted. The endpoint continues; \`ratchet endpoint watch ${id}\` shows it again.`,
  })
  if (last === null) return null
  return { json: last.json, text: endpointText(last.value), ...(last.value.state === 'FAILED' ? { exitCode: 1 } : {}) }
}

function readyOf({ replicas }: DedicatedEndpoint): number {
  return replicas.filter(({ state }) => state === 'ready').length
}

function endpointText(endpoint: DedicatedEndpoint): string {
  const { state, status_message: message, last_error: lastError, model_id: modelId, spend } = endpoint
  return formatTable([
    ['state', message === null ? state : `${state}: ${printable(message)}`],
    ['model', printable(modelId)],
    ...endpoint.routes.slice(1).map(({ model_id: name, fingerprint_ok: isOk }) => {
      return ['adapter', `${printable(name)}${isOk === true ? '' : isOk === false ? ': not proven' : ': starting'}`]
    }),
    ['replicas', `${readyOf(endpoint)} ready`],
    ['cost', `${inUsd(spend.hour_usd)} in the last hour, ${inUsd(spend.total_usd)} in all`],
    ...(lastError === null ? [] : [['last error', printable(lastError)]]),
  ])
}
