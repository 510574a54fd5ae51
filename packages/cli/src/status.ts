import { type Answer, formatTable } from './answer.ts'
import type { CliIo } from './cli-io.ts'
import { type FleetFile, readFleetFile } from './fleet-file.ts'
import { sendRequest } from './send-request.ts'

type Health = 'ready' | 'not ready' | 'no answer'

const timeoutMs = 3_000

/** Prints the address of the fleet of `npm start`, and whether its edge is ready. */
export async function status({ env }: Pick<CliIo, 'env'>): Promise<Answer> {
  const fleet = await readFleetFile(env)
  if (fleet === null) {
    return { json: { status: 'not started' }, text: 'not started; `npm start` starts it', exitCode: 1 }
  }
  const health = await readHealth(fleet.base_url)
  return {
    json: { status: health, ...placesOf(fleet) },
    text: formatTable([['status', health], ...Object.entries(placesOf(fleet)).flatMap(toRow)]),
    ...(health === 'ready' ? {} : { exitCode: 1 as const }),
  }
}

async function readHealth(baseUrl: string): Promise<Health> {
  try {
    const { isOk } = await sendRequest(new URL('/readyz', baseUrl), { timeoutMs })
    return isOk ? 'ready' : 'not ready'
  } catch {
    return 'no answer'
  }
}

/** The fields without secrets: no API keys, no database password. */
function placesOf({ base_url, dashboard_url, simulated_provider_url, workspace }: FleetFile) {
  return {
    base_url,
    dashboard_url: dashboard_url ?? null,
    simulated_provider_url: simulated_provider_url ?? null,
    workspace,
  }
}

function toRow([name, value]: [string, string | null]): string[][] {
  return value === null ? [] : [[name, value]]
}
