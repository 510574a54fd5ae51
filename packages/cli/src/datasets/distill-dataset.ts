import { DistillDataset, distillDataset } from '@ratchet/contracts/dataset-distill'
import type { ApiCommands } from '../api/api-commands.ts'
import { number, text } from '../api/value-parsers.ts'

interface Options {
  readonly teacher: string
  readonly maxCost: number
  readonly dataset?: string
  readonly tag?: string
  readonly model?: string
  readonly samples?: number
  readonly criterion?: string
  readonly acknowledgeTerms?: true
}

export function addDistill({ group, run }: ApiCommands): void {
  const { name: nameSchema, samples_per_prompt: samples, max_cost_usd: maxCost } = DistillDataset.shape
  group
    .command('distill')
    .description("Begin a dataset of a teacher's answers; it is built in the background.")
    .argument('<name>', 'name of the dataset', text(nameSchema))
    .requiredOption('--teacher <model>', 'the model that answers')
    .requiredOption('--max-cost <usd>', 'what answers and verdicts may cost together', number(maxCost))
    .option('--dataset <id>', 'its prompts are answered; otherwise those of the log')
    .option('--tag <tag>', 'only prompts of the log with this tag')
    .option('--model <model>', 'only prompts of the log that this model answered')
    .option('--samples <count>', 'answers to each prompt, 1 to 8', number(samples))
    .option('--criterion <id>', 'keep only answers that this judge passes')
    .option('--acknowledge-terms', "the terms of the teacher's provider were read, and permit this training")
    .action((name: string, options: Options) =>
      run(async ({ connect }) => {
        const api = await connect()
        const { value, json } = await api.call(distillDataset, { body: bodyOf(name, options) })
        const asked = value.progress?.samples ?? 0
        return { json, text: `${value.id} ${value.status}: ${asked} answers are asked for` }
      }),
    )
}

function bodyOf(name: string, { teacher, maxCost, dataset, tag, model, samples, criterion, ...options }: Options) {
  const filters = { ...(tag === undefined ? {} : { tag }), ...(model === undefined ? {} : { model }) }
  return {
    name,
    teacher_model: teacher,
    max_cost_usd: maxCost,
    ...(dataset === undefined ? {} : { dataset_id: dataset }),
    // Both are refused by the endpoint, which names the field.
    ...(dataset !== undefined && Object.keys(filters).length === 0 ? {} : { filters }),
    ...(samples === undefined ? {} : { samples_per_prompt: samples }),
    ...(criterion === undefined ? {} : { criterion_id: criterion }),
    ...(options.acknowledgeTerms === undefined ? {} : { acknowledge_terms: true }),
  }
}
