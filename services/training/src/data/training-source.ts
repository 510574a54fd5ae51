/** Where examples come from. */
export interface TrainingSource {
  readonly kind: 'dataset' | 'file'
  /** Public id, as the request has it. */
  readonly id: string
  /** The field of the request with the id, for errors. */
  readonly param: string
}

/** Facts of a source that has not been read. */
export interface SourceFacts {
  readonly uuid: string
  readonly bytes: number
  /** SHA-256 of the content, in hex; null for a file, whose content is hashed when it is read. */
  readonly sha256: string | null
  /** Public id of the dataset that was held out when this one was made; null without one. It may have been deleted. */
  readonly siblingId: string | null
}

/** Maximum bytes of the examples of a job, which are read at once. */
export const maxTrainingBytes = 67_108_864
/** Bytes up to which data is read while a user waits. Larger data is checked after the job was created. */
export const maxSurveyedBytes = 16_777_216
/** Maximum bytes of an example. A longer line is not read, and counts as too long. */
export const maxExampleBytes = 1_048_576
/** Maximum examples of a dataset or file that a job reads. */
export const maxExamples = 100_000
