import type { KubeObject } from '../kube-object.ts'
import { lifecycleProblems } from './lifecycle.ts'
import { networkProblems } from './network.ts'
import { otherNamespaceProblems } from './other-namespaces.ts'
import { parityProblems } from './parity.ts'
import { placementProblems } from './placement.ts'
import { podSecurityProblems } from './pod-security.ts'
import { referenceProblems } from './references.ts'
import { scalingProblems } from './scaling.ts'
import { workloadProblems } from './workload-rules.ts'

/** Policies that every rendered manifest of the fleet must keep. Each returns its problems; none when the manifest is correct. */
export const policies: Readonly<Record<string, (objects: readonly KubeObject[]) => readonly string[]>> = {
  lifecycle: lifecycleProblems,
  otherNamespaces: otherNamespaceProblems,
  network: networkProblems,
  parity: parityProblems,
  placement: placementProblems,
  podSecurity: podSecurityProblems,
  references: referenceProblems,
  scaling: scalingProblems,
  workloads: workloadProblems,
}
