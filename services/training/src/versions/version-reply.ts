import type { ModelVersion } from '@ratchet/contracts/model-versions'
import { publicId } from '@ratchet/contracts/public-id'
import type { StoredVersion, VersionProducer } from './model-version.ts'

/** As trainers name the file that they keep the template in. */
const templateFile = 'chat_template.jinja'

/** A version as the API shows it. */
export function versionReply(version: StoredVersion): ModelVersion {
  const { id, name, parentId, jobId, datasetId, adapterRank, bytes, servedAs, isArchived, pool, fingerprint } = version
  return {
    id: publicId('modelVersion', id),
    object: 'model_version',
    model_id: name,
    name: suffixOf(name),
    base_model: version.baseModel,
    parent_id: parentId === null ? null : publicId('modelVersion', parentId),
    produced_by: { type: version.producedBy.type, id: producerId(version.producedBy) },
    fine_tuning_job_id: jobId === null ? null : publicId('fineTuningJob', jobId),
    step: version.step,
    dataset_id: datasetId === null ? null : publicId('dataset', datasetId),
    status: version.status,
    status_reason: version.status === 'rejected' ? version.rejectReason : null,
    from_reward: version.isFromReward,
    adapter: adapterRank === null ? null : { rank: adapterRank, size_bytes: bytes },
    files: version.files.map(({ name: file, sha256, bytes: size }) => ({ name: file, sha256, bytes: size })),
    sha256: version.sha256,
    chat_template_sha256: version.files.find(({ name: file }) => file === templateFile)?.sha256 ?? null,
    fingerprint: fingerprint === null ? null : { source: fingerprint.source, probe_sha256: fingerprint.sha256 },
    metrics: { ...version.metrics },
    serving: {
      pool: isArchived ? 'none' : (pool?.state ?? 'none'),
      pool_error: pool?.error ?? null,
      provider: isArchived ? null : servedAs,
      dedicated: isArchived ? [] : [...version.endpoints],
    },
    aliases: version.aliases.map((alias) => ({ ...alias })),
    created_by: version.createdBy,
    created_at: version.createdAt.toISOString(),
    adopted_at: version.adoptedAt?.toISOString() ?? null,
    adopted_by: version.adoptedBy,
  }
}

/** `ft:<base>:<workspace>:<suffix>:<8 characters>` */
function suffixOf(name: string): string | null {
  return name.split(':').at(-2) || null
}

const producerKinds = { fine_tuning: 'fineTuningJob', grpo: 'grpoRun', raft: 'raftRound' } as const

function producerId(producer: VersionProducer): string | null {
  return producer.id === null ? null : publicId(producerKinds[producer.type], producer.id)
}
