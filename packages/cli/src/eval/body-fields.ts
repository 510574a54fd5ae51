import { CreateEval, EvalAssertion, EvalFilters } from '@ratchet/contracts/evals'
import { InvalidArgumentError, Option } from 'commander'
import { checked, number, type Parser, text } from '../api/value-parsers.ts'

/** A flag for one field of the body of an eval. */
export interface Field {
  readonly option: Option
  /** Path of the field. Lists of several flags for one path are concatenated. */
  readonly path: readonly [string] | readonly [string, string]
}

const body = CreateEval.shape
const filters = EvalFilters.shape
const params = body.params.unwrap().shape

const types = `one of ${body.rubric_type.unwrap().options.join(', ')}`
const modes = `one of ${body.judging_mode.unwrap().options.join(', ')}`

/** A flag for every field of an eval. */
export const fields: readonly Field[] = [
  field('--name <name>', 'default: the names of the models', ['name'], text(body.name)),
  field('--rubric <text>', 'criteria for a good answer', ['rubric'], text(body.rubric)),
  field('--rubric-type <type>', types, ['rubric_type'], text(body.rubric_type)),
  field(
    '--baseline <model>',
    'the current model, or `logged` for logged answers',
    ['baseline_model'],
    text(body.baseline_model),
  ),
  field('--candidate <model>', 'repeatable', ['candidate_models'], each(text(body.candidate_models.element))),
  field('--samples <count>', 'number of prompts, 5 to 500', ['sample_count'], number(body.sample_count)),
  field('--tag <tag>', 'prompts of this tag', ['sample_filters', 'tag'], text(filters.tag)),
  field('--segment <segment>', 'prompts of this segment', ['sample_filters', 'segment'], text(filters.segment)),
  field('--model <model>', 'prompts that this model answered', ['sample_filters', 'model'], text(filters.model)),
  field('--dataset <id>', 'examples of a dataset', ['sample_filters', 'dataset_id'], text(filters.dataset_id)),
  field('--trace-replay', 'complete agent runs', ['sample_filters', 'trace_replay']),
  field('--judging-mode <mode>', modes, ['judging_mode'], text(body.judging_mode)),
  field('--reference <answers>', 'logged_reply or dataset', ['reference'], text(body.reference)),
  field('--judge-model <model>', 'the model that judges', ['judge_model'], text(body.judge_model)),
  field(
    '--panel-judge <model>',
    'a judge of a panel, twice or three times, instead of --judge-model',
    ['judge_models'],
    each(text(body.judge_models.unwrap().unwrap().element)),
  ),
  field('--criterion <id>', 'use the model and prompt of this judge', ['criterion_id'], text(body.criterion_id)),
  field('--assert-tool-called <tool>', 'answers must call this tool; repeatable', ['assertions'], each(toolCalled)),
  field('--assert-no-tool-call', 'answers must not call a tool', ['assertions']),
  field(
    '--assert-args <tool=json>',
    'answers must call it with these arguments; repeatable',
    ['assertions'],
    each(argsMatch),
  ),
  field('--temperature <number>', 'for all answers', ['params', 'temperature'], number(params.temperature)),
  field('--max-tokens <count>', 'for all answers', ['params', 'max_tokens'], number(params.max_tokens)),
  field('--seed <number>', 'for the choice of prompts', ['seed'], number(body.seed)),
  field('--max-cost-usd <amount>', 'maximum cost, including judging', ['max_cost_usd'], number(body.max_cost_usd)),
  field('--repetitions <count>', 'number of answers to each prompt, 1 to 5', ['repetitions'], number(body.repetitions)),
  field('--question <question>', 'better, or not_worse with --margin', ['question'], text(body.question)),
  field('--margin <share>', 'tolerated share of losses minus wins, such as 0.03', ['margin'], number(body.margin)),
  field('--stop-when <event>', 'conclusive: stop when the question is answered', ['stop_when'], text(body.stop_when)),
  field(
    '--webhook-url <url>',
    'https URL that gets a POST when the eval ends',
    ['webhook_url'],
    text(body.webhook_url),
  ),
]

/** Value of a flag without an argument. */
export const switchValues: Readonly<Record<string, unknown>> = {
  traceReplay: true,
  assertNoToolCall: [{ type: 'no_tool_call' }],
}

function field(flags: string, description: string, path: Field['path'], parser?: Parser): Field {
  const option = new Option(flags, description)
  return { option: parser === undefined ? option : option.argParser(parser), path }
}

function each(parser: Parser): Parser {
  return (value, previous) => [...(Array.isArray(previous) ? previous : []), parser(value, undefined)]
}

function toolCalled(value: string): unknown {
  return checked(EvalAssertion, { type: 'tool_called', value })
}

function argsMatch(value: string): unknown {
  const [, tool, json = ''] = /^([^=]+)=(.*)$/s.exec(value) ?? []
  try {
    return EvalAssertion.parse({ type: 'args_match', value: tool, args: JSON.parse(json) })
  } catch {
    throw new InvalidArgumentError('Expected a tool and arguments, such as search={"language":"en"}.')
  }
}
