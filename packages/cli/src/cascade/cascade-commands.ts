import {
  type Cascade,
  CreateCascade,
  createCascade,
  deleteCascade,
  listCascades,
  verdictCounts,
} from '@ratchet/contracts/cascades'
import { uuidOf } from '@ratchet/contracts/public-id'
import { type Command, InvalidArgumentError } from 'commander'
import { formatTable } from '../answer.ts'
import type { ApiCommands } from '../api/api-commands.ts'
import { parsePageLimit } from '../api/page-limit.ts'
import { number } from '../api/value-parsers.ts'
import { parseCriterionId } from '../judge/judge-id.ts'
import { inShare } from '../text/in-words.ts'
import { calibrateCascadeCommand, scanCascadeCommand } from './cascade-runs.ts'

type Member = CreateCascade['members'][number]

interface Options {
  readonly name: string
  readonly member: readonly Member[]
  readonly agreement?: number
  readonly confidence?: number
}

/** `ratchet cascade …`: judges of which the cheap ones decide what they are sure of. */
export function cascadeCommands(commands: ApiCommands): void {
  createCommand(commands)
  listCommand(commands)
  calibrateCascadeCommand(commands, addCascadeArgument)
  scanCascadeCommand(commands, addCascadeArgument)
  deleteCommand(commands)
}

function addCascadeArgument(command: Command): Command {
  return command.argument('<cascade>', 'the id of the cascade', (value: string) => {
    if (uuidOf('cascade', value) === null) {
      throw new InvalidArgumentError('Expected an id, as `cascade list` prints it.')
    }
    return value
  })
}

function createCommand({ group, run }: ApiCommands): void {
  group
    .command('create')
    .description('Create a cascade of two or three judges, the cheapest first.')
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--member <judge[:verdicts]>', 'a judge, and how often it judges an item; repeatable', addMember)
    .option('--agreement <share>', 'promised agreement with people', number(CreateCascade.shape.agreement))
    .option('--confidence <share>', 'probability of the promise', number(CreateCascade.shape.confidence))
    .action(({ member: members, ...fields }: Options) =>
      run(async ({ connect }) => {
        const api = await connect()
        const { value, json } = await api.call(createCascade, { body: { ...fields, members: [...members] } })
        return {
          json,
          text: `created ${value.id}`,
          note: `\`ratchet cascade calibrate ${value.id}\` proves its promise.`,
        }
      }),
    )
}

function addMember(value: string, before: readonly Member[] = []): readonly Member[] {
  const [id = '', count, ...rest] = value.split(':')
  const verdicts = verdictCounts.find((each) => String(each) === count)
  if (rest.length > 0 || (count !== undefined && verdicts === undefined)) {
    throw new InvalidArgumentError(`Expected ${verdictCounts.join(', ')} verdicts after the colon.`)
  }
  return [...before, { criterion_id: parseCriterionId(id), ...(verdicts === undefined ? {} : { verdicts }) }]
}

function listCommand({ group, run }: ApiCommands): void {
  group
    .command('list')
    .description('List cascades, newest first, with what their last calibration proved.')
    .option('--limit <count>', 'maximum number', parsePageLimit, '20')
    .action(({ limit }: { readonly limit: string }) =>
      run(async ({ connect }) => {
        const api = await connect()
        const { value, json } = await api.call(listCascades, { query: { limit } })
        const head = ['ID', 'NAME', 'JUDGES', 'PROMISED', 'DECIDES', 'SAVES', 'STATE']
        const table = formatTable([head, ...value.data.map(rowOf)])
        return { json, text: value.data.length === 0 ? 'no cascades; `ratchet cascade create` makes one' : table }
      }),
    )
}

function rowOf({ id, name, members, agreement, can_scan: canScan, calibration }: Cascade): readonly string[] {
  const state = canScan ? 'can scan' : (calibration?.status ?? 'not calibrated')
  const [decides, saves] = [calibration?.coverage ?? null, calibration?.saving ?? null]
  return [id, name, String(members.length), inShare(agreement), inShare(decides), inShare(saves), state]
}

function deleteCommand({ group, run }: ApiCommands): void {
  addCascadeArgument(group.command('delete').description('Delete a cascade; its judges stay.')).action((id: string) =>
    run(async ({ connect }) => {
      const api = await connect()
      const { json } = await api.call(deleteCascade, { params: { id }, body: {} })
      return { json, text: `deleted ${id}` }
    }),
  )
}
