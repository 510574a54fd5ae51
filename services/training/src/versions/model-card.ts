import { publicId } from '@ratchet/contracts/public-id'
import type { StoredVersion } from './model-version.ts'

/** The `README.md` of a downloaded version: where the weights come from, in the form that model hubs read. */
export function modelCard(version: StoredVersion): string {
  const { id, name, baseModel, parentId, jobId, datasetId, adapterRank, step, producedBy, createdAt, files } = version
  const rows = [
    ['Version', publicId('modelVersion', id)],
    ['Name', name],
    ['Base', baseModel],
    ['Made by', producedBy.type],
    ...(parentId === null ? [] : [['Trained from', publicId('modelVersion', parentId)]]),
    ...(jobId === null ? [] : [['Job', publicId('fineTuningJob', jobId)]]),
    ...(step === null ? [] : [['Step', String(step)]]),
    ...(datasetId === null ? [] : [['Dataset', publicId('dataset', datasetId)]]),
    ...(adapterRank === null ? [] : [['LoRA rank', String(adapterRank)]]),
    ['Created', createdAt.toISOString()],
  ]
  const library = adapterRank === null ? 'transformers' : 'peft'
  const head = ['---', `base_model: ${JSON.stringify(baseModel)}`, `library_name: ${library}`, '---', '', `# ${name}`]
  const table = ['', '| | |', '| --- | --- |', ...rows.map(([key, value]) => `| ${key} | \`${value}\` |`)]
  const sums = ['', 'SHA-256 of its files:', '', ...files.map((file) => `    ${file.sha256}  ${file.name}`), '']
  return [...head, ...table, ...sums].join('\n')
}
