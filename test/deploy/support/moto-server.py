"""moto_server, but for its ValidateTemplate: that runs cfn-lint without settings and refuses any warning, and the
framework writes dependencies that cfn-lint warns of. The template has a cfn-lint run of its own in this folder."""

import sys

from moto.cloudformation import models
from moto.server import main

models.validate_template_cfn_lint = lambda template: []
main(sys.argv[1:])
