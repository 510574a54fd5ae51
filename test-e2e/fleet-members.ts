import type { FleetProcess } from './start-process.ts'

/** Processes that a test may have chosen. */
export interface ChosenServices {
  readonly judging: FleetProcess | undefined
  readonly judgingWorker: FleetProcess | undefined
  readonly evalApi: FleetProcess | undefined
  readonly evalWorker: FleetProcess | undefined
  readonly alias: FleetProcess | undefined
  readonly aliasWorker: FleetProcess | undefined
  readonly training: FleetProcess | undefined
  readonly trainingWorker: FleetProcess | undefined
  readonly dashboard: FleetProcess | undefined
  readonly voice: FleetProcess | undefined
  readonly voiceWorker: FleetProcess | undefined
}

/** The parts that a test chooses; reading one that it did not choose throws. */
export function membersOf<Balancers>(
  running: ChosenServices,
  balancers: Balancers | null,
  voiceUrl: string | undefined,
) {
  return {
    get voice() {
      return needed(running.voice, 'voice agents')
    },
    get voiceWorker() {
      return needed(running.voiceWorker, 'voice agents')
    },
    get voiceUrl() {
      return needed(voiceUrl, 'voice agents')
    },
    get balancers() {
      return needed(balancers ?? undefined, 'balancers')
    },
    get judging() {
      return needed(running.judging, 'judges')
    },
    get judgingWorker() {
      return needed(running.judgingWorker, 'judges')
    },
    get eval() {
      return needed(running.evalApi, 'evals')
    },
    get evalWorker() {
      return needed(running.evalWorker, 'evals')
    },
    get alias() {
      return needed(running.alias, 'aliases')
    },
    get aliasWorker() {
      return needed(running.aliasWorker, 'aliases')
    },
    get training() {
      return needed(running.training, 'training')
    },
    get trainingWorker() {
      return needed(running.trainingWorker, 'training')
    },
    get dashboard() {
      return needed(running.dashboard, 'a dashboard')
    },
  }
}

function needed<T>(started: T | undefined, what: string): T {
  if (started === undefined) throw new Error(`this fleet was started without ${what}`)
  return started
}
