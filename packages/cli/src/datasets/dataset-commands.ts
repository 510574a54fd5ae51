import {
  CurateFromLogs,
  type CurationSummary,
  curateFromLogs,
  type Dataset,
  deleteDataset,
  listDatasets,
} from '@ratchet/contracts/datasets'
import { Option } from 'commander'
import { formatTable } from '../answer.ts'
import type { ApiCommands } from '../api/api-commands.ts'
import { addList } from '../api/list-command.ts'
import { number, text } from '../api/value-parsers.ts'
import { addDistill } from './distill-dataset.ts'
import { addDatasetExport } from './export-dataset.ts'

export function datasetCommands(commands: ApiCommands): void {
  addList<typeof listDatasets, Dataset>(commands, {
    name: 'list',
    description: 'List datasets, newest first.',
    endpoint: listDatasets,
    filters: [
      ['--name <name>', 'name', 'exact name'],
      ['--kind <kind>', 'kind', 'train or eval'],
      ['--segment <segment>', 'segment', 'with examples of this segment'],
    ],
    limit: '20',
    heading: ['ID', 'NAME', 'KIND', 'STATUS', 'EXAMPLES', 'TOKENS', 'SOURCE', 'CREATED'],
    rowOf: (dataset) => [
      dataset.id,
      dataset.name,
      dataset.kind,
      dataset.status,
      String(dataset.example_count),
      String(dataset.token_count_estimate),
      dataset.source,
      dataset.created_at,
    ],
    empty: 'no datasets; `ratchet datasets from-logs` makes one',
  })
  fromLogs(commands)
  addDistill(commands)
  addDatasetExport(commands)
  removeDataset(commands)
}

interface CurationOptions {
  readonly holdout?: number
  readonly model?: string
  readonly tag?: string
  readonly segment?: string
  readonly criterion?: string
  readonly verdict?: 'pass' | 'fail'
  readonly max?: number
  readonly dryRun?: true
}

function fromLogs({ group, run }: ApiCommands): void {
  const { name: nameSchema, holdout_pct: holdout, max_examples: max } = CurateFromLogs.shape
  group
    .command('from-logs')
    .description('Make a dataset of logged exchanges, and print what was left out and why.')
    .argument('<name>', 'name of the dataset', text(nameSchema))
    .option('--holdout <percent>', 'share of the examples that goes to a second dataset for evals', number(holdout))
    .option('--model <model>', 'only answers of this model')
    .option('--tag <tag>', 'only requests with this tag')
    .option('--segment <segment>', 'only this family of system prompts')
    .option('--criterion <id>', 'only exchanges on which this judge has a verdict')
    .addOption(new Option('--verdict <verdict>', 'which verdict, with --criterion').choices(['pass', 'fail']))
    .option('--max <count>', 'maximum number of examples', number(max))
    .option('--dry-run', 'count, and make nothing')
    .action((name: string, options: CurationOptions) =>
      run(async ({ connect }) => {
        const { holdout: holdout_pct, model, tag, segment, criterion: criterion_id, verdict, dryRun: dry_run } = options
        const filters = given({ model, tag, segment })
        const body = {
          name,
          filters,
          ...given({ holdout_pct, criterion_id, verdict, max_examples: options.max, dry_run }),
        }
        const api = await connect()
        const { value, json } = await api.call(curateFromLogs, { body })
        const made = [value.dataset, value.eval_dataset].flatMap((each) =>
          each === null ? [] : [[each.id, each.name, each.kind, String(each.example_count)]],
        )
        const table =
          made.length === 0 ? 'nothing was made' : formatTable([['ID', 'NAME', 'KIND', 'EXAMPLES'], ...made])
        const lines = [summaryText(value.summary), ...value.warnings]
        return { json, text: `${lines.join('\n')}\n\n${table}` }
      }),
    )
}

/** Without the members that were not given. */
function given<T extends Readonly<Record<string, unknown>>>(values: T) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

function summaryText({ matched, kept, dropped, train_count: train, eval_count: held, folded_turns }: CurationSummary) {
  const reasons = Object.entries(dropped).filter(([, count]) => count > 0)
  return formatTable([
    ['matched', String(matched)],
    ...reasons.map(([reason, count]) => [`- ${reason.replaceAll('_', ' ')}`, String(count)]),
    ['kept', String(kept)],
    ['examples', `${train} and ${held} held out, of ${folded_turns} further turns`],
  ])
}

function removeDataset({ group, run }: ApiCommands): void {
  group
    .command('delete')
    .description('Delete a dataset with its examples.')
    .argument('<id>', 'the dataset')
    .action((id: string) =>
      run(async ({ connect }) => {
        const api = await connect()
        const { json } = await api.call(deleteDataset, { params: { id } })
        return { json, text: `deleted ${id}` }
      }),
    )
}
