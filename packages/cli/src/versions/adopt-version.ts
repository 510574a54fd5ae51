import { AdoptModelVersion, adoptModelVersion } from '@ratchet/contracts/model-version-changes'
import { type Command, Option } from 'commander'
import { unproven } from '../alias/unproven.ts'
import { ApiRefusal } from '../api/api-client.ts'
import type { ApiCommands } from '../api/api-commands.ts'
import { text } from '../api/value-parsers.ts'
import { addVersionArgument } from './version-id.ts'

interface Options {
  readonly alias: string
  readonly canary?: string
  readonly gate?: string
  readonly gateMode?: 'recommend' | 'auto'
  readonly serve?: 'pool' | 'provider'
  readonly force?: true
  readonly reason?: string
}

/** `versions adopt`: prints what is missing when the evidence policy refuses it, with exit code 1. */
export function addAdoption({ group, run }: ApiCommands): void {
  const command = group.command('adopt').description('Let an alias route to a version, as far as evidence allows.')
  options(addVersionArgument(command)).action((id: string, given: Options) =>
    run(async ({ connect }) => {
      const api = await connect()
      try {
        const { value, json } = await api.call(adoptModelVersion, { params: { id }, body: bodyOf(given) })
        const { alias, model_version: version } = value
        const share = version.aliases.find(({ name }) => name === alias.name)?.percent ?? 0
        return { json, text: `${version.model_id} answers ${share} % of ${alias.name} (version ${alias.version})` }
      } catch (error) {
        const answer = error instanceof ApiRefusal ? unproven(error) : null
        if (answer === null) throw error
        return answer
      }
    }),
  )
}

function options(command: Command): Command {
  return command
    .requiredOption('--alias <name>', 'the alias; a new one sends all its requests to the version')
    .option('--canary <percent>', 'share of the requests; default: 10, and 100 for a new alias')
    .option('--gate <criterion>', 'the judge that watches both arms')
    .addOption(new Option('--gate-mode <mode>', 'what its gate does').choices(['recommend', 'auto']))
    .addOption(new Option('--serve <where>', 'what has to serve it').choices(['pool', 'provider']))
    .option('--force', 'without evidence; only owners, with --reason')
    .addOption(
      new Option('--reason <text>', 'reason, for the audit').argParser(
        text(AdoptModelVersion.shape.reason.unwrap().unwrap()),
      ),
    )
}

function bodyOf({ alias, canary, gate, gateMode, serve, force, reason }: Options) {
  return {
    aliasName: alias,
    ...(canary === undefined ? {} : { canaryPercent: Number(canary) }),
    ...(gate === undefined ? {} : { gateCriterionId: gate }),
    ...(gateMode === undefined ? {} : { gateMode }),
    ...(serve === undefined ? {} : { serve }),
    ...(force === undefined ? {} : { force }),
    ...(reason === undefined ? {} : { reason }),
  }
}
