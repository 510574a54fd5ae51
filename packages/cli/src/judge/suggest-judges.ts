import { getSuggestions, SuggestCriteria, type Suggestions, suggestCriteria } from '@ratchet/contracts/judge-assist'
import type { ApiCommands } from '../api/api-commands.ts'
import { number, text } from '../api/value-parsers.ts'
import { inUsd } from '../text/in-words.ts'
import { exitOf, failureText, watchRun } from './watch-run.ts'

interface Options {
  readonly segment?: string
  readonly model?: string
  readonly max?: number
}

export function suggestJudges({ group, run }: ApiCommands): void {
  const { segment, model, max_suggestions: max } = SuggestCriteria.shape
  group
    .command('suggest')
    .description('Let a model read failures and traffic, and suggest what to judge. Creates nothing.')
    .option('--segment <segment>', 'only this family of system prompts', text(segment))
    .option('--model <model>', 'the model that suggests; by default that of the newest judge', text(model))
    .option('--max <count>', 'maximum number', number(max))
    .action((options: Options) =>
      run(async (deps) => {
        const body = {
          ...(options.segment === undefined ? {} : { segment: options.segment }),
          ...(options.model === undefined ? {} : { model: options.model }),
          ...(options.max === undefined ? {} : { max_suggestions: options.max }),
        }
        const api = await deps.connect()
        const first = await api.call(suggestCriteria, { body })
        const last = await watchRun<Suggestions>(deps, api, {
          first,
          read: (client, more) => client.call(getSuggestions, { params: { suggestion_id: first.value.id } }, more),
          progressOf: () => null,
        })
        return last === null ? null : { json: last.json, text: suggestionsText(last.value), ...exitOf(last.value) }
      }),
    )
}

function suggestionsText(found: Suggestions): string {
  if (found.status !== 'DONE') return failureText(found)
  const { graded_fails: fails, exchanges } = found.evidence
  const head = `${found.model} read ${fails} graded failures and ${exchanges} exchanges, ${inUsd(found.cost_usd)}`
  const each = found.suggestions.map(
    ({ name, description, judge_prompt: prompt, evidence_log_ids: ids }) =>
      `${name}\n  ${description}\n  prompt: ${prompt.replaceAll('\n', '\n    ')}\n  seen in: ${ids.join(', ') || '-'}`,
  )
  return [head, ...(each.length === 0 ? ['It suggests nothing.'] : each)].join('\n\n')
}
