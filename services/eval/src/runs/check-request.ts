import { type CreateEval, loggedBaseline } from '@ratchet/contracts/evals'
import { ServiceError } from '@ratchet/service-kit/service-error'

/**
 * Refuses what the schema cannot: fields that contradict each other.
 *
 * @throws ServiceError naming the field
 */
export function checkRequest(request: CreateEval): void {
  checkModels(request)
  checkSource(request)
  checkJudging(request)
}

function checkModels({ baseline_model: baseline, candidate_models: candidates }: CreateEval): void {
  const models = [baseline, ...candidates]
  candidates.forEach((candidate, index) => {
    if (models.indexOf(candidate) <= index) {
      throw invalid(`candidate_models.${index}`, `${JSON.stringify(candidate)} is compared with itself.`)
    }
    if (candidate === loggedBaseline) {
      throw invalid(`candidate_models.${index}`, 'The stored answers can only be the baseline.')
    }
  })
}

function checkSource({ baseline_model: baseline, sample_filters: filters, repetitions }: CreateEval): void {
  const { dataset_id: datasetId, trace_replay: isReplay = false } = filters
  const isAlone = Object.keys(filters).every(
    (name) => name === 'dataset_id' || [undefined, false].includes(filters[name as 'trace_replay']),
  )
  if (datasetId !== undefined && !isAlone) {
    throw invalid('sample_filters.dataset_id', 'A dataset stands alone: the other filters choose from the log.')
  }
  if (isReplay && baseline !== loggedBaseline) {
    throw invalid('baseline_model', 'Agent runs are compared with what was recorded: the baseline must be "logged".')
  }
  if (!isReplay && baseline === loggedBaseline) {
    const message = 'Stored answers are the baseline of agent runs alone; everywhere else every model answers anew.'
    throw invalid('baseline_model', message)
  }
  if (isReplay && repetitions > 1) throw invalid('repetitions', 'Agent runs are gone through once.')
}

function checkJudging(request: CreateEval): void {
  const { judging_mode: mode, reference, rubric, rubric_type: type, sample_filters: filters } = request
  const { judge_model: judgeModel = null, criterion_id: criterionId = null } = request
  if (judgeModel === null && criterionId === null) {
    throw invalid('judge_model', 'Name a `judge_model` or a `criterion_id`.')
  }
  if (judgeModel !== null && criterionId !== null) {
    throw invalid('judge_model', 'The criterion has a model of its own: send one of the two.')
  }
  if (criterionId !== null && rubric != null) {
    throw invalid('rubric', 'The prompt of the criterion is the rubric: send one of the two.')
  }
  if (criterionId === null && type === 'custom' && rubric == null) {
    throw invalid('rubric', 'A custom rubric has to be told.')
  }
  if (mode === 'match_reference' && filters.trace_replay === true) {
    throw invalid('judging_mode', 'What was recorded is the baseline of agent runs: it would be compared with itself.')
  }
  if (mode === 'direct_quality' && reference != null) {
    throw invalid('reference', 'Only `match_reference` compares with a reference.')
  }
  const own = filters.dataset_id === undefined ? 'logged_reply' : 'dataset'
  if (reference != null && reference !== own) {
    throw invalid('reference', `These prompts have another stored answer: ${own}.`)
  }
}

function invalid(param: string, message: string): ServiceError {
  return new ServiceError('invalid_request', message, { param })
}
