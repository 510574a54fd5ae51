import type { ServiceContext } from './service-context.ts'

/** One process of the fleet. The supervisor and the end-to-end tests start it; tests compare docker-compose.yml and k8s/ with it. */
export interface ServiceDefinition {
  readonly name: string
  /** Path of the script from the repository's folder. */
  readonly entry: string
  /** Preferred port; `npm start` takes another one when it is in use. */
  readonly port: number
  readonly role: 'http' | 'worker'
  /** Whether clients of a worker connect to it, through the edge. */
  readonly takesClients?: boolean
  /** Path that answers 200 once the process can take requests. */
  readonly readyPath: string
  /** Whether it shares one process with others of this kind on a single machine. */
  readonly isBackOffice?: boolean
  /** Megabytes for new objects; absent: 8. */
  readonly newMb?: number
  /** Megabytes of older objects and new buffers below which the whole heap is not collected; absent: Node decides. */
  readonly oldMb?: number
  /** The port that docker-compose.yml publishes; absent = reachable inside the fleet only. */
  readonly publicPort?: number
  /** Preferred port for probes and metrics, of a process whose `port` clients reach. */
  readonly adminPort?: number
  /** Preferred port of the listener that only the dashboard reaches. */
  readonly sessionPort?: number
  /** Preferred port of the listener of the voice interface. */
  readonly voicePort?: number
  /** Its variables beside those that all services have. */
  readonly env: (context: ServiceContext) => Record<string, string>
}
