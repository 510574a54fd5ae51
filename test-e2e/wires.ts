/** One prefix of model ids for each wire that the simulated provider speaks. */
export const wires = ['sim', 'sim-anthropic', 'sim-google', 'sim-bedrock'] as const
export type Wire = (typeof wires)[number]
