import { AliasConfig, startAlias } from '@ratchet/alias/start'
import { AliasWorkerConfig, startAliasWorker } from '@ratchet/alias/start-worker'
import { DashboardConfig, startDashboard } from '@ratchet/dashboard/start'
import { EvalConfig, startEval } from '@ratchet/eval/start'
import { EvalWorkerConfig, startEvalWorker } from '@ratchet/eval/start-worker'
import { JudgingConfig, startJudging } from '@ratchet/judging/start'
import { JudgingWorkerConfig, startJudgingWorker } from '@ratchet/judging/start-worker'
import { LoggingConfig, startLogging } from '@ratchet/logging/start'
import type { ProcessConfig, ServiceProcess } from '@ratchet/service-kit/process/run-service'
import { type LoadedService, loadService, runServices } from '@ratchet/service-kit/process/run-services'
import { startTraining, TrainingConfig } from '@ratchet/training/start'
import { startTrainingWorker, TrainingWorkerConfig } from '@ratchet/training/start-worker'
import { startVoice, VoiceConfig } from '@ratchet/voice/start'
import type { z } from 'zod'
import { readEnvironments } from './environments.ts'

// On a single machine the services of the back office share one process, because ten processes hold the same code ten
// times. Kubernetes runs each on its own.
const environments = readEnvironments(process.env)

/** A service that has an environment. The others run elsewhere: `npm run dev` gives the watched service its own process. */
function member<Schema extends z.ZodType<ProcessConfig>>(
  service: Omit<ServiceProcess<Schema>, 'env'>,
): readonly LoadedService[] {
  const env = environments.get(service.name)
  return env === undefined ? [] : [loadService({ ...service, env })]
}

const apis = [
  member({ name: 'logging', schema: LoggingConfig, start: startLogging }),
  member({ name: 'judging', schema: JudgingConfig, start: startJudging }),
  member({ name: 'eval', schema: EvalConfig, start: startEval }),
  member({ name: 'alias', schema: AliasConfig, start: startAlias }),
  member({ name: 'training', schema: TrainingConfig, start: startTraining }),
  member({ name: 'voice', schema: VoiceConfig, start: startVoice }),
  member({ name: 'dashboard', schema: DashboardConfig, start: startDashboard }),
]
const workers = [
  member({ name: 'judging-worker', schema: JudgingWorkerConfig, start: startJudgingWorker }),
  member({ name: 'eval-worker', schema: EvalWorkerConfig, start: startEvalWorker }),
  member({ name: 'alias-worker', schema: AliasWorkerConfig, start: startAliasWorker }),
  member({ name: 'training-worker', schema: TrainingWorkerConfig, start: startTrainingWorker }),
]

const members = [...apis, ...workers].flat().map(({ name }) => name)
const unknown = [...environments.keys()].filter((name) => !members.includes(name))
if (unknown.length > 0) throw new Error(`the back office does not know ${unknown.join(', ')}`)

await runServices('back-office', [apis.flat(), workers.flat()])
