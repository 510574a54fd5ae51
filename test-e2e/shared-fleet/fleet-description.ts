/** Services for which tests can sign internal calls. */
export const audiences = ['inference', 'logging', 'judging', 'eval', 'alias', 'training', 'voice'] as const

/** One process of a shared fleet, as test files receive it from the host. */
export interface ProcessDescription {
  readonly name: string
  readonly pid: number
  readonly url: string
  readonly metricsUrl: string
  /** File with every line that the process has printed. */
  readonly logFile: string
}

/** Everything that a test file needs to use a fleet of another process. */
export interface FleetDescription {
  readonly edges: readonly ProcessDescription[]
  readonly inference: ProcessDescription
  readonly logging: ProcessDescription
  readonly loggingWorker: ProcessDescription
  readonly judging: ProcessDescription
  readonly judgingWorker: ProcessDescription
  readonly eval: ProcessDescription
  readonly evalWorker: ProcessDescription
  readonly alias: ProcessDescription
  readonly aliasWorker: ProcessDescription
  readonly training: ProcessDescription
  readonly trainingWorker: ProcessDescription
  readonly voiceWorker: ProcessDescription
  readonly voice: ProcessDescription
  readonly providerUrl: string
  readonly databaseUrl: string
  readonly redisUrl: string
  /** In the form of ENCRYPTION_KEYS. */
  readonly encryptionKeys: string
  /** By audience; secrets in base64. */
  readonly keys: Readonly<Record<string, { readonly id: string; readonly secret: string }>>
}
