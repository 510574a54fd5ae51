import { type Answer, formatTable } from './answer.ts'
import type { CliIo } from './cli-io.ts'
import { type FleetFile, readFleetFile } from './fleet-file.ts'
import { sendRequest } from './send-request.ts'

type Health = 'ready' | 'not ready' | 'no answer'

/** Whether `npm start` still runs, which restarts processes that end. Unknown for files of earlier releases. */
type Supervision = 'running' | 'killed' | 'unknown'

const timeoutMs = 3_000

/** Prints the address of the fleet of `npm start`, and whether its edge is ready. */
export async function status({ env }: Pick<CliIo, 'env'>): Promise<Answer> {
  const fleet = await readFleetFile(env)
  if (fleet === null) {
    return { json: { status: 'not started' }, text: 'not started; `npm start` starts it', exitCode: 1 }
  }
  const health = await readHealth(fleet.base_url)
  const supervisor = supervisionOf(fleet)
  const isKilled = supervisor === 'killed'
  const status = isKilled
    ? `${health}, but the supervisor was killed: nothing is restarted. Run \`npm start\`.`
    : health
  return {
    json: { status: health, supervisor, ...placesOf(fleet) },
    text: formatTable([['status', status], ...Object.entries(placesOf(fleet)).flatMap(toRow)]),
    ...(health === 'ready' && !isKilled ? {} : { exitCode: 1 as const }),
  }
}

function supervisionOf({ pids }: FleetFile): Supervision {
  const pid = pids?.supervisor
  if (pid === undefined) return 'unknown'
  try {
    process.kill(pid, 0)
    return 'running'
  } catch (error) {
    // A process of another user exists as well.
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? 'running' : 'killed'
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
