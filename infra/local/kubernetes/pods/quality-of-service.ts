import { type JsonObject, objectOf, objectsOf } from '../model/object.ts';
import { nanoOf } from '../values/quantity.ts';

/** `ComputePodQOS`: Guaranteed where every container's cpu and memory requests equal its limits, BestEffort without any. */
export const qosClassOf = (spec: JsonObject): 'Guaranteed' | 'Burstable' | 'BestEffort' => {
  const containers = [...objectsOf(spec['initContainers']), ...objectsOf(spec['containers'])].map((container) => {
    const { limits, requests } = objectOf(container['resources']);
    return { limits: objectOf(limits), requests: objectOf(requests) };
  });
  const counts = ['cpu', 'memory'];
  const isSet = (amounts: JsonObject): boolean => counts.some((name) => nanoOf(amounts[name]) > 0n);
  if (!containers.some(({ limits, requests }) => isSet(limits) || isSet(requests))) return 'BestEffort';
  const isGuaranteed = containers.every(({ limits, requests }) =>
    counts.every((name) => nanoOf(limits[name]) > 0n && nanoOf(limits[name]) === nanoOf(requests[name])),
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
};
