import { changeKeyLimits, type RateLimitRow } from '@ratchet/db/workspace-settings'
import type { Answer } from '../answer.ts'
import { CliError } from '../cli-error.ts'
import { type Limit, parseId, parseLimit } from '../parse-options.ts'
import type { AdminCommands, AdminDeps } from './admin-commands.ts'

interface Options {
  readonly rpm?: Limit
  readonly tpm?: Limit
}

export function limitKey({ admin, run }: AdminCommands): void {
  admin
    .command('limit')
    .description('Set limits of one API key, besides those of its workspace.')
    .argument('<id>', 'its id, as create-key and list-keys print it', parseId)
    .option('--rpm <count>', 'requests per minute, or none', parseLimit)
    .option('--tpm <count>', 'tokens per minute, or none', parseLimit)
    .action((id: string, options: Options) => run((deps) => work(deps, id, options)))
}

async function work({ db }: AdminDeps, id: string, { rpm, tpm }: Options): Promise<Answer> {
  if (rpm === undefined && tpm === undefined) {
    throw new CliError('nothing to change: give --rpm, --tpm or both', { exitCode: 2 })
  }
  const changes: Partial<RateLimitRow> = {
    ...(rpm === undefined ? {} : { requestsPerMinute: rpm.perMinute }),
    ...(tpm === undefined ? {} : { tokensPerMinute: tpm.perMinute }),
  }
  const key = await changeKeyLimits(db, { id, changes })
  if (key === null) throw new CliError(`<id>: there is no key ${id}`)
  const { display, requestsPerMinute, tokensPerMinute } = key
  const [requests, tokens] = [requestsPerMinute ?? 'no limit of', tokensPerMinute ?? 'no limit of']
  return {
    json: { id, display, requests_per_minute: requestsPerMinute, tokens_per_minute: tokensPerMinute },
    text: `${display}… has ${requests} requests and ${tokens} tokens per minute`,
  }
}
