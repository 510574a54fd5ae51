import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { CheckpointFile } from '@ratchet/contracts/trainer-protocol'
import type { TrainerLimits } from '@ratchet/contracts/trainer-spec'
import type { z } from 'zod'

/** A file that may not be stored, and why. */
export interface FileProblem {
  readonly name: string
  readonly problem: string
}

type CheckpointLimits = Pick<z.output<typeof TrainerLimits>, 'max_files' | 'max_file_bytes' | 'max_checkpoint_bytes'>

/** A file of 5 GB is the largest that a bucket takes in one request. */
export const checkpointLimits: CheckpointLimits = {
  max_files: 64,
  max_file_bytes: 4_096 * mebibyte,
  max_checkpoint_bytes: 16_384 * mebibyte,
}

/** Weights, settings and tokenizers in formats that cannot contain code. */
const adapterFile = /^[\w.-]+\.(safetensors|json|jinja|txt|model)$/
/** The weights of an adapter, as PEFT names them. */
export const adapterWeights = 'adapter_model.safetensors'

/** Problems of the files of a checkpoint, before they are uploaded. One with states alone has no weights here. */
export function checkManifest(
  files: readonly CheckpointFile[],
  { max_file_bytes: maxFileBytes, max_checkpoint_bytes: maxBytes }: CheckpointLimits,
): readonly FileProblem[] {
  const names = new Set<string>()
  const problems: FileProblem[] = []
  let total = 0
  for (const { name, kind, bytes } of files) {
    if (names.has(name)) problems.push({ name, problem: 'has the name of another file' })
    if (kind === 'adapter' && !adapterFile.test(name))
      problems.push({ name, problem: 'has a type that is not allowed' })
    if (bytes > maxFileBytes) problems.push({ name, problem: `has more than ${maxFileBytes} bytes` })
    names.add(name)
    total += bytes
  }
  if (total > maxBytes) problems.push({ name: '*', problem: `have more than ${maxBytes} bytes together` })
  const hasWeights = files.some(({ name, kind }) => kind === 'adapter' && name.endsWith('.safetensors'))
  const isState = files.every(({ name, kind }) => kind === 'state' && name !== adapterWeights)
  return hasWeights || isState ? problems : [...problems, { name: adapterWeights, problem: 'is missing' }]
}
