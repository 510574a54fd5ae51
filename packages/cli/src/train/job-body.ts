import { CreateFineTuningJob } from '@ratchet/contracts/fine-tuning-body'
import { type Command, Option } from 'commander'
import type { z } from 'zod'
import { number, type Parser, text } from '../api/value-parsers.ts'

export type JobBody = z.input<typeof CreateFineTuningJob>

/** Flags of a job, by their names as attributes. */
export interface BodyOptions {
  readonly model: string
  readonly dataset?: string
  readonly trainingFile?: string
  readonly evalDataset?: string
  readonly validationFile?: string
  readonly method: 'supervised' | 'dpo'
  readonly epochs?: number | 'auto'
  readonly batchSize?: number | 'auto'
  readonly learningRate?: number
  readonly loraRank?: number
  readonly beta?: number
  readonly maxTokens?: number
  readonly suffix?: string
  readonly seed?: number
  readonly checkpoints?: number
  readonly stopAfter?: number
  readonly maxCostUsd?: number
  readonly trainer?: string
}

const body = CreateFineTuningJob.shape
const settings = body.method.unwrap().shape.dpo.unwrap().shape.hyperparameters.unwrap().shape

/** Adds a flag for every setting of a job. */
export function addBodyOptions(command: Command): void {
  const option = (flags: string, description: string, parser: Parser) =>
    new Option(flags, description).argParser(parser)
  const all = [
    option('--model <model>', 'the model to train, as `train models` lists it', text(body.model)).makeOptionMandatory(),
    option('--dataset <id>', 'examples to train on', text(body.datasetId)).conflicts('trainingFile'),
    option('--training-file <id>', 'an uploaded file of examples, instead of a dataset', text(body.trainingFile)),
    option('--eval-dataset <id>', 'default: the held-out side of the dataset', text(body.evalDatasetId)).conflicts(
      'validationFile',
    ),
    option('--validation-file <id>', 'an uploaded file, instead of --eval-dataset', text(body.validationFile)),
    new Option('--method <method>', 'dpo needs pairs of answers').choices(['supervised', 'dpo']).default('supervised'),
    option('--epochs <count>', '1 to 20, or auto', autoOr(number(settings.nEpochs))),
    option('--batch-size <count>', 'examples of one step, 1 to 512, or auto', autoOr(number(settings.batchSize))),
    option('--learning-rate <rate>', 'default 0.0002; with dpo 0.00001', number(settings.learningRate)),
    option('--lora-rank <rank>', 'default 32', number(settings.loraRank)),
    option('--beta <number>', 'of dpo: how close the model stays to its start', number(settings.beta)),
    option('--max-tokens <count>', 'longest example; longer ones are left out', number(settings.maxSequenceLength)),
    option('--suffix <text>', 'a word of yours that is returned with the job', text(body.suffix)),
    option('--seed <number>', 'default: at random', number(body.seed)),
    option('--checkpoints <count>', 'default: one after each epoch', number(body.nCheckpoints)),
    option(
      '--stop-after <count>',
      'end after so many validations without a better loss',
      number(body.earlyStopping.unwrap().unwrap().shape.patience),
    ),
    option('--max-cost-usd <amount>', 'end with the last checkpoint that this covers', number(body.maxCostUsd)),
    option('--trainer <name>', 'default: one that offers the model', text(body.trainer)),
  ]
  for (const each of all) command.addOption(each)
}

/** The body of the request. What was not given is absent, so that the deployment's defaults apply. */
export function bodyOf(options: BodyOptions): JobBody {
  const hyperparameters = given({
    nEpochs: options.epochs,
    batchSize: options.batchSize,
    learningRate: options.learningRate,
    loraRank: options.loraRank,
    beta: options.beta,
    maxSequenceLength: options.maxTokens,
  })
  return {
    model: options.model,
    method: { type: options.method, [options.method]: { hyperparameters } },
    ...given({
      datasetId: options.dataset,
      trainingFile: options.trainingFile,
      evalDatasetId: options.evalDataset,
      validationFile: options.validationFile,
      suffix: options.suffix,
      seed: options.seed,
      nCheckpoints: options.checkpoints,
      // biome-ignore lint/plugin: the name of the setting in the API
      earlyStopping: options.stopAfter === undefined ? undefined : { patience: options.stopAfter },
      maxCostUsd: options.maxCostUsd,
      trainer: options.trainer,
    }),
  }
}

function autoOr(parser: Parser): Parser {
  return (value, previous) => (value === 'auto' ? value : parser(value, previous))
}

/** Without the members that were not given. */
function given(values: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
