"""Rows turned into the models that every face, deliveries and sensors read, where no pipeline is needed."""
