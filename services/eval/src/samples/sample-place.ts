import type { PlannedSample } from './sample.ts'

/** The id of a sample in measurements. It is the same in every eval that drew the same prompts. */
export function placeOfSample({ position, repetition }: Pick<PlannedSample, 'position' | 'repetition'>): string {
  return `${String(position).padStart(6, '0')}-${repetition}`
}
