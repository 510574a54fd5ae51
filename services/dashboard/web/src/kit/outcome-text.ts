/** Words for outcomes and causes, such as `no credit`. */
export function outcomeText(outcome: string): string {
  return outcome === 'ours' ? 'failures of the gateway' : outcome.replaceAll('_', ' ')
}
