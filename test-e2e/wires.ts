/** One prefix of model ids for each wire format of the simulated provider. */
export const wires = ['sim', 'sim-anthropic', 'sim-google', 'sim-bedrock'] as const
export type Wire = (typeof wires)[number]
