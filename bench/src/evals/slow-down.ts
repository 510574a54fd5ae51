/** Delays every further answer of a model. */
export async function slowDown(providerUrl: string, model: string, latencyMs: number): Promise<void> {
  const script = { model, behaviour: `slow-${latencyMs}`, count: 1_000_000_000 }
  const response = await fetch(`${providerUrl}/control/script`, { method: 'POST', body: JSON.stringify(script) })
  if (!response.ok) throw new Error(`the provider refuses: ${await response.text()}`)
}
