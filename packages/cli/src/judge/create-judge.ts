import { readFile } from 'node:fs/promises'
import { CreateCriterion, createCriterion } from '@ratchet/contracts/criteria'
import { CriterionChecks } from '@ratchet/contracts/criterion-checks'
import { Option } from 'commander'
import type { ApiCommands } from '../api/api-commands.ts'
import { text } from '../api/value-parsers.ts'
import { CliError } from '../cli-error.ts'

interface Options {
  readonly prompt?: string
  readonly promptFile?: string
  readonly model?: string
  readonly checks?: string
  readonly tag?: string
  readonly segment?: string
  readonly unit: 'request' | 'trace'
}

export function createJudge({ group, run }: ApiCommands): void {
  const {
    name,
    judge_prompt: prompt,
    judge_model: model,
    population,
    population_family: family,
  } = CreateCriterion.shape
  group
    .command('create')
    .description('Create a judge. Its prompt says what makes an answer fail.')
    .argument('<name>', 'its name', text(name))
    .option('--prompt <text>', 'what makes an answer fail', text(prompt))
    .addOption(new Option('--prompt-file <file>', 'a file with that text').conflicts('prompt'))
    .option('--model <model>', 'the model that judges', text(model))
    .addOption(
      new Option('--checks <file>', 'a JSON file with a list of checks that judge in place of a model').conflicts(
        'model',
      ),
    )
    .option('--tag <tag>', 'judge only requests with this tag', text(population))
    .option('--segment <segment>', 'judge only this family of system prompts', text(family))
    .addOption(new Option('--unit <unit>', 'what is judged').choices(['request', 'trace']).default('request'))
    .action((judgeName: string, options: Options) =>
      run(async ({ connect }) => {
        const body = {
          name: judgeName,
          judge_prompt: await promptOf(options),
          ...(await judgeOf(options)),
          population: options.tag ?? '',
          population_family: options.segment ?? '',
          unit: options.unit,
        }
        const api = await connect()
        const { value, json } = await api.call(createCriterion, { body })
        return { json, text: value.id, note: `\`ratchet grade ${value.id}\` grades answers, which measures the judge.` }
      }),
    )
}

/** @throws CliError when neither a model nor checks are named, or the file cannot be read */
async function judgeOf({ model, checks: file }: Options) {
  if (model !== undefined) return { judge_model: model }
  if (file === undefined) throw new CliError('--model or --checks is required', { exitCode: 2 })
  try {
    return { kind: 'code' as const, checks: CriterionChecks.parse(JSON.parse(await readFile(file, 'utf8'))) }
  } catch (cause) {
    throw new CliError(`${file} is no list of checks: ${(cause as Error).message}`, { cause })
  }
}

/** @throws CliError when there is no prompt, or its file cannot be read */
async function promptOf({ prompt, promptFile }: Options): Promise<string> {
  if (prompt !== undefined) return prompt
  if (promptFile === undefined) throw new CliError('--prompt or --prompt-file is required', { exitCode: 2 })
  return readFile(promptFile, 'utf8').catch((cause: Error) => {
    throw new CliError(`${promptFile} cannot be read: ${cause.message}`, { cause })
  })
}
