/**
 * The probability with which one calibration of a cascade may err. Those of all calibrations of a workspace, however many
 * cascades and judges it creates, add up to that which the confidence leaves.
 *
 * @param ordinal counts the calibrations of all cascades of the workspace, from 1
 */
export function errorProbabilityOf(confidence: number, ordinal: number): number {
  return (1 - confidence) / (ordinal * (ordinal + 1))
}
