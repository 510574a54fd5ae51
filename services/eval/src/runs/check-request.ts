import { type CreateEval, loggedBaseline } from '@ratchet/contracts/evals'
import { invalidRequest } from '@ratchet/service-kit/http/service-error'

/**
 * Rejects requests whose fields contradict each other, which the schema cannot express.
 *
 * @throws ServiceError `invalid_request`, naming the field
 */
export function checkRequest(request: CreateEval): void {
  checkModels(request)
  checkSource(request)
  checkQuestion(request)
  checkJudging(request)
}

function checkModels({ baseline_model: baseline, candidate_models: candidates }: CreateEval): void {
  const models = [baseline, ...candidates]
  candidates.forEach((candidate, index) => {
    if (models.indexOf(candidate) <= index) {
      throw invalidRequest(
        `candidate_models.${index}`,
        `${JSON.stringify(candidate)} is listed twice or is also the baseline. Name each model once.`,
      )
    }
    if (candidate === loggedBaseline) {
      throw invalidRequest(
        `candidate_models.${index}`,
        '"logged" (the stored answers) can only be the `baseline_model`.',
      )
    }
  })
}

function checkSource({ baseline_model: baseline, sample_filters: filters, repetitions }: CreateEval): void {
  const { dataset_id: datasetId, trace_replay: isReplay = false } = filters
  const isAlone = Object.keys(filters).every(
    (name) => name === 'dataset_id' || [undefined, false].includes(filters[name as 'trace_replay']),
  )
  if (datasetId !== undefined && !isAlone) {
    throw invalidRequest(
      'sample_filters.dataset_id',
      '`dataset_id` cannot be combined with other filters, which select from the log.',
    )
  }
  if (isReplay && baseline !== loggedBaseline) {
    throw invalidRequest(
      'baseline_model',
      'With `trace_replay` the `baseline_model` must be "logged", the recorded answers.',
    )
  }
  if (!isReplay && baseline === loggedBaseline) {
    const message = '`baseline_model` "logged" requires `trace_replay`. Otherwise name a model.'
    throw invalidRequest('baseline_model', message)
  }
  if (isReplay && repetitions > 1) throw invalidRequest('repetitions', '`repetitions` must be 1 with `trace_replay`.')
}

function checkPanel({ judge_models: judges, judge_model: judge, criterion_id: criterionId }: CreateEval): void {
  if (judges == null) return
  if (judge != null || criterionId != null) {
    throw invalidRequest('judge_models', 'Send only one of `judge_models`, `judge_model` and `criterion_id`.')
  }
  const repeated = judges.findIndex((model, index) => judges.indexOf(model) < index)
  if (repeated >= 0) throw invalidRequest(`judge_models.${repeated}`, 'Name each judge once.')
}

function checkQuestion({ question, margin, stop_when: stopWhen, repetitions }: CreateEval): void {
  if (question === 'not_worse' && margin == null) {
    throw invalidRequest('margin', '`question` "not_worse" requires a `margin`, such as 0.03.')
  }
  if (question !== 'not_worse' && margin != null) {
    throw invalidRequest('margin', '`margin` requires `question` "not_worse".')
  }
  if (stopWhen === 'conclusive' && repetitions > 1) {
    throw invalidRequest('repetitions', '`repetitions` must be 1 with `stop_when`.')
  }
}

function checkJudging(request: CreateEval): void {
  const { judging_mode: mode, reference, rubric, rubric_type: type, sample_filters: filters } = request
  const { judge_model: judgeModel = null, criterion_id: criterionId = null } = request
  checkPanel(request)
  if (judgeModel === null && criterionId === null && request.judge_models == null) {
    throw invalidRequest('judge_model', 'Send a `judge_model`, `judge_models` or a `criterion_id`.')
  }
  if (judgeModel !== null && criterionId !== null) {
    throw invalidRequest(
      'judge_model',
      'The criterion already names its model. Send `judge_model` or `criterion_id`, not both.',
    )
  }
  if (criterionId !== null && rubric != null) {
    throw invalidRequest('rubric', 'The criterion already has a prompt. Send `rubric` or `criterion_id`, not both.')
  }
  if (criterionId === null && type === 'custom' && rubric == null) {
    throw invalidRequest('rubric', '`rubric_type` "custom" requires a `rubric`.')
  }
  if (mode === 'match_reference' && filters.trace_replay === true) {
    throw invalidRequest(
      'judging_mode',
      'With `trace_replay` the recorded answers are the baseline, so they cannot also be the reference. Use `direct_quality`.',
    )
  }
  if (mode === 'direct_quality' && reference != null) {
    throw invalidRequest('reference', '`reference` requires `judging_mode` "match_reference".')
  }
  const own = filters.dataset_id === undefined ? 'logged_reply' : 'dataset'
  if (reference != null && reference !== own) {
    throw invalidRequest('reference', `\`reference\` must be ${JSON.stringify(own)} for these prompts.`)
  }
}
