import { FakeNodeStore } from '../../fakes/stores/fake-node-store.ts';
import { FakePodStore } from '../../fakes/stores/fake-pod-store.ts';
import { FakeResourceStore } from '../../fakes/stores/fake-resource-store.ts';
import { describeNodeStore } from './node-store-contract.ts';
import { describePodStore } from './pod-store-contract.ts';
import { describeResourceStore } from './resource-store-contract.ts';

describePodStore('fake', () => new FakePodStore());
describeNodeStore('fake', () => new FakeNodeStore());
describeResourceStore('fake', () => new FakeResourceStore());
