import { NamedKeys } from '@ratchet/service-kit/identity/identity'
import { z } from 'zod'
import type { ArtifactStore } from './artifacts/artifact-store.ts'
import { createDirectoryArtifacts } from './artifacts/directory-artifacts.ts'
import { createS3Artifacts } from './artifacts/s3-artifacts.ts'
import { createPathSigner, type PathSigner } from './artifacts/signed-path.ts'

/** Settings of the API and the worker: where artifacts are, and what signs tokens and paths. */
export const artifactConfig = {
  /** Sign the tokens of trainers and the paths of a directory's artifacts. The first signs, all verify. */
  JOB_TOKEN_KEYS: NamedKeys,
  /** A folder that all processes of the service have. Not used with a bucket. */
  ARTIFACTS_DIR: z.string().default('.data/artifacts'),
  ARTIFACTS_S3_BUCKET: z.string().optional(),
  ARTIFACTS_S3_REGION: z.string().default('us-east-1'),
  /** Absent: Amazon's. */
  ARTIFACTS_S3_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  /** Both absent: what the environment gives, such as the role of a pod. */
  ARTIFACTS_S3_ACCESS_KEY_ID: z.string().optional(),
  ARTIFACTS_S3_SECRET_ACCESS_KEY: z.string().optional(),
}
const ArtifactConfig = z.object(artifactConfig)
type ArtifactConfig = z.output<typeof ArtifactConfig>

interface Artifacts {
  readonly artifacts: ArtifactStore
  /** Signs paths of a directory, which the API serves; null for a bucket. */
  readonly signer: PathSigner | null
}

export function createArtifacts(
  config: ArtifactConfig,
  { now, newId }: { readonly now: () => Date; readonly newId: () => string },
): Artifacts {
  const { ARTIFACTS_S3_BUCKET: bucket, ARTIFACTS_S3_REGION: region, ARTIFACTS_S3_ENDPOINT: endpoint } = config
  if (bucket !== undefined) {
    const { ARTIFACTS_S3_ACCESS_KEY_ID: accessKeyId, ARTIFACTS_S3_SECRET_ACCESS_KEY: secretAccessKey } = config
    const hasKeys = accessKeyId !== undefined && secretAccessKey !== undefined
    const credentials = hasKeys ? { accessKeyId, secretAccessKey } : undefined
    return { artifacts: createS3Artifacts({ bucket, region, endpoint, credentials, now, newId }), signer: null }
  }
  const signer = createPathSigner(secretsOf(config))
  return { artifacts: createDirectoryArtifacts({ root: config.ARTIFACTS_DIR, signer, newId }), signer }
}

/** The secrets that sign, the present one first. */
export function secretsOf({ JOB_TOKEN_KEYS: [first, ...others] }: Pick<ArtifactConfig, 'JOB_TOKEN_KEYS'>) {
  return [first.secret, ...others.map(({ secret }) => secret)] as const
}
